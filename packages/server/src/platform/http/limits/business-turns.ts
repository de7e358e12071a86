// Fair shares of this process: it works on few requests of one business at a time, the others wait for their turn. A request
// that waits for the provider, or for the next event, holds no turn: it needs no processor.

import type { FastifyRequest } from 'fastify'
import type { Deps } from '../../../app/context.ts'
import type { App } from '../app.ts'
import { requestsAtOncePerBusiness } from '../limits.ts'

export type Turn = {
  /** @param go is called when the request may go on: at once, or in order of arrival; never after `end` */
  begin(go: () => void): void
  /** Begins a wait that needs no processor: the next request of the business may begin. */
  pause(): void
  /** Resolves when the request may go on: before those that have not begun; at once when it was not paused, or has ended. */
  resume(): Promise<void>
  /** Lets the next request of the business begin. Has an effect once. */
  end(): void
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Null before the request has begun, and on routes without a business. */
    turn: Turn | null
  }
}

/** Makes requests of a business take turns once their bodies are read, which may take a caller a minute. */
export function takeTurns(app: App): void {
  const turns = new BusinessTurns(requestsAtOncePerBusiness)
  app.decorateRequest('turn', null)
  app.addHook('preValidation', (request, reply, done) => {
    if (request.business === null) return done()
    const turn = turns.of(request.business.id)
    request.turn = turn
    pauseForProvider(request, turn)
    // `close` comes in any case, also when the caller has gone before there is an answer.
    reply.raw.once('close', turn.end)
    turn.begin(done)
  })
  // The answer is made: a caller that reads slowly keeps no other request waiting.
  app.addHook('onSend', (request, _reply, payload, done) => {
    request.turn?.end()
    done(null, payload)
  })
}

function pauseForProvider(request: FastifyRequest, turn: Turn): void {
  const { deps } = request
  if (deps === null) return
  request.deps = () => {
    const given = deps()
    return { ...given, provider: pausing(given.provider, turn) }
  }
}

function pausing(provider: Deps['provider'], turn: Turn): Deps['provider'] {
  let calls = 0
  return new Proxy(provider, {
    get: (target, name, receiver) => {
      const method: unknown = Reflect.get(target, name, receiver)
      if (typeof method !== 'function') return method
      return (...args: unknown[]) => {
        const answer: unknown = Reflect.apply(method, target, args)
        if (!(answer instanceof Promise)) return answer
        calls += 1
        turn.pause()
        return answer.finally(async () => {
          calls -= 1
          if (calls === 0) await turn.resume()
        })
      }
    },
  })
}

/** `begun`: requests that have paused, and go on before those of `waiting`. */
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
    // In the next turn of the event loop: what other businesses have sent meanwhile is read first.
    if (next) setImmediate(next)
    else line.running -= 1
    if (line.running === 0) this.#lines.delete(businessId)
  }
}
