// The load of the rolling restart: callers that each do one thing after another over kept-alive connections: writes
// without an Idempotency-Key, reads, long-polls, and events of the provider.

import { setTimeout as delay } from 'node:timers/promises'
import type { ProviderSigner } from '../../../server/test/provider-signer.ts'
import type { Answer, Balancer, Call } from '../relay-world/balancer.ts'
import { type Chance, chanceOf } from '../rig/chance.ts'

export type LoadFigures = {
  requests: number
  failed: number
  /** Tries that were repeated, because the answer said so or the connection was refused. */
  retried: number
}

export type Load = {
  figures(): LoadFigures
  /** External ids of the end-users whose creation was answered. */
  acknowledged: string[]
  examples: string[]
  /** Ends when every request has its answer. */
  stop(): Promise<void>
}

const callers = 24
const pauseMsMax = 40
const examplesMax = 10

export function startLoad(
  balancer: Balancer,
  { apiKey, signer, seed }: { apiKey: string; signer: ProviderSigner; seed: number },
): Load {
  const figures: LoadFigures = { requests: 0, failed: 0, retried: 0 }
  const acknowledged: string[] = []
  const examples: string[] = []
  const bearer = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  let isOver = false

  const send = async (call: Call): Promise<Answer | null> => {
    const { outcome, tries } = await balancer.send(call)
    figures.requests += 1
    figures.retried += tries - 1
    if (!('failed' in outcome)) return outcome
    figures.failed += 1
    if (examples.length < examplesMax) examples.push(outcome.failed)
    return null
  }

  const create = async (externalUserId: string): Promise<void> => {
    const body = JSON.stringify({ externalUserId })
    const answer = await send({ method: 'POST', path: '/v0/end-users', headers: bearer, body })
    if (answer) acknowledged.push(externalUserId)
  }

  const post = (eventId: string): Promise<unknown> => {
    const event = { event_id: eventId, event_type: 'test.happened', external_user_id: 'user-of-events' }
    const body = JSON.stringify(event)
    const headers = { 'content-type': 'application/json', 'x-webhook-signature': signer.sign(body) }
    return send({ method: 'POST', path: '/v0/webhooks/provider', headers, body })
  }

  const call = async (caller: number, chance: Chance): Promise<void> => {
    const get = (path: string) => send({ method: 'GET', path, headers: bearer })
    for (let place = 0; !isOver; place++) {
      const name = `rolling-${seed}-${caller}-${place}`
      const what = chance.below(10)
      if (what < 4) await create(name)
      else if (what < 6) await post(`wh_${name}`)
      else if (what < 7) await get('/v0/events?after=now&wait=1')
      else await get('/v0/end-users?limit=5')
      await delay(chance.below(pauseMsMax))
    }
  }

  const running = Promise.all(Array.from({ length: callers }, (_, caller) => call(caller, chanceOf(seed, caller))))
  return {
    figures: () => ({ ...figures }),
    acknowledged,
    examples,
    async stop() {
      isOver = true
      await running
    },
  }
}
