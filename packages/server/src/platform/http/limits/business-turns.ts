// Fair shares of a process: it works on few requests of one business at a time, and the others wait for their turn. A
// request that waits for the provider or for the next event holds no turn, because it needs no processor.

import type { App } from '../app.ts'
import { requestsAtOncePerBusiness } from '../limits.ts'
import type { Turn } from '../scope.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Null before the request has begun, and on routes without a business. */
    turn: Turn | null
  }
}

/**
 * Makes requests of a business take turns. A turn begins after the body is read, which may take a slow caller a minute.
 */
export function takeTurns(app: App): void {
  const turns = new BusinessTurns(requestsAtOncePerBusiness)
  app.decorateRequest('turn', null)
  app.addHook('preValidation', (request, reply, done) => {
    if (request.business === null) return done()
    const turn = turns.of(request.business.id)
    request.turn = turn
    // `close` always fires, even if the caller disconnects before the response.
    reply.raw.once('close', turn.end)
    turn.begin(done)
  })
  // Release the slot before the response is sent, so that a slow reader does not block other requests of the business.
  app.addHook('onSend', (request, _reply, payload, done) => {
    request.turn?.end()
    done(null, payload)
  })
}

/** `begun`: paused requests, which continue before those of `waiting`. */
type Line = { running: number; begun: (() => void)[]; waiting: (() => void)[] }

export class BusinessTurns {
  readonly #atOnceMax: number
  readonly #lines = new Map<string, Line>()

  constructor(atOnceMax: number) {
    this.#atOnceMax = atOnceMax
  }

  of(businessId: string): Turn {
    let state: 'new' | 'waiting' | 'running' | 'paused' | 'ended' = 'new'
    const take = (queue: 'begun' | 'waiting', go: () => void): void => {
      const start = (): void => {
        if (state === 'ended') this.#passOn(businessId)
        else state = 'running'
        if (state === 'running' || queue === 'begun') go()
      }
      state = 'waiting'
      const line = this.#lineOf(businessId)
      if (line.running >= this.#atOnceMax) {
        line[queue].push(start)
        return
      }
      line.running += 1
      start()
    }
    const leave = (to: 'paused' | 'ended'): void => {
      const wasRunning = state === 'running'
      state = to
      if (wasRunning) this.#passOn(businessId)
    }
    return {
      begin: (go) => {
        if (state === 'new') take('waiting', go)
      },
      pause: () => {
        if (state === 'running') leave('paused')
      },
      resume: async () => {
        if (state === 'paused') await new Promise<void>((go) => take('begun', go))
      },
      end: () => leave('ended'),
    }
  }

  #lineOf(businessId: string): Line {
    const known = this.#lines.get(businessId) ?? { running: 0, begun: [], waiting: [] }
    this.#lines.set(businessId, known)
    return known
  }

  #passOn(businessId: string): void {
    const line = this.#lineOf(businessId)
    const next = line.begun.shift() ?? line.waiting.shift()
    // In the next turn of the event loop, so that requests of other businesses are read first.
    if (next) setImmediate(next)
    else line.running -= 1
    if (line.running === 0) this.#lines.delete(businessId)
  }
}
