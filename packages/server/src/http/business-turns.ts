// Fair shares of this process: of one business a few requests are worked on at a time, the others wait for their turn. What
// waits for the provider, or for the next event, holds no turn: it needs no processor.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../services/deps.ts'
import type { App } from './app.ts'
import { businessOf } from './guards.ts'
import { requestsAtOncePerBusiness } from './limits.ts'

type DoneSending = (error: null, payload: unknown) => void

export type Turn = {
  /** @param go is called when the request may go on: at once, or in order of arrival; never after `end` */
  begin(go: () => void): void
  /** Lets the next request of the business begin. Has an effect once. */
  end(): void
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Null before it has begun, and on routes of nobody in particular. */
    turn: Turn | null
  }
}

/** After the body has been read, which may take its caller a minute. */
export function takeTurns(app: App): void {
  const turns = new BusinessTurns(requestsAtOncePerBusiness)
  app.decorateRequest('turn', null)
  const take = (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    const turn = turns.of(businessOf(request).id)
    request.turn = turn
    endBeforeProvider(request, turn)
    // Comes in any case, also when the caller has gone before there is an answer.
    reply.raw.once('close', turn.end)
    turn.begin(done)
  }
  // The answer is made: a caller who reads it slowly holds nobody up.
  const giveBack = (request: FastifyRequest, _reply: FastifyReply, payload: unknown, done: DoneSending): void => {
    request.turn?.end()
    done(null, payload)
  }
  app.addHook('onRoute', (route) => {
    if (route.config?.auth !== 'business') return
    route.preValidation = [take, ...[route.preValidation ?? []].flat()]
    route.onSend = [...[route.onSend ?? []].flat(), giveBack]
  })
}

function endBeforeProvider(request: FastifyRequest, turn: Turn): void {
  const { deps } = request
  if (deps === null) return
  const ending = (provider: Deps['provider']): Deps['provider'] =>
    new Proxy(provider, {
      get: (target, name, receiver) => {
        turn.end()
        return Reflect.get(target, name, receiver)
      },
    })
  request.deps = () => {
    const given = deps()
    return { ...given, provider: ending(given.provider) }
  }
}

type Line = { running: number; waiting: (() => void)[] }

export class BusinessTurns {
  readonly #atOnceMax: number
  readonly #lines = new Map<string, Line>()

  constructor(atOnceMax: number) {
    this.#atOnceMax = atOnceMax
  }

  of(businessId: string): Turn {
    let state: 'new' | 'waiting' | 'running' | 'ended' = 'new'
    const line = (): Line => {
      const known = this.#lines.get(businessId) ?? { running: 0, waiting: [] }
      this.#lines.set(businessId, known)
      return known
    }
    return {
      begin: (go) => {
        if (state !== 'new') return
        state = 'waiting'
        const start = (): void => {
          if (state === 'ended') {
            this.#passOn(businessId, line())
            return
          }
          state = 'running'
          go()
        }
        const { running, waiting } = line()
        if (running < this.#atOnceMax) {
          line().running += 1
          start()
        } else waiting.push(start)
      },
      end: () => {
        const wasRunning = state === 'running'
        state = 'ended'
        if (wasRunning) this.#passOn(businessId, line())
      },
    }
  }

  #passOn(businessId: string, line: Line): void {
    const next = line.waiting.shift()
    // Not at once: what others have sent meanwhile is read first.
    if (next) setImmediate(next)
    else line.running -= 1
    if (line.running === 0) this.#lines.delete(businessId)
  }
}
