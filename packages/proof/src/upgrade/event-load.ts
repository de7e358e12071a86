// Events of the provider through the load balancer, one of each end-user at a time: so the order in which they were
// acknowledged is known.

import { setTimeout as delay } from 'node:timers/promises'
import type { ProviderSigner } from '../../../server/test/provider-signer.ts'
import type { Accepted } from '../chaos-relay/verdict.ts'
import type { Balancer } from '../relay-world/balancer.ts'
import { type Chance, chanceOf } from '../rig/chance.ts'

export type EventLoad = {
  accepted: readonly Accepted[]
  /** What was answered neither with success nor with a failure that may be repeated. */
  failed: readonly string[]
  stop(): Promise<void>
}

const pauseMsMax = 400

export function startEventLoad(
  balancer: Balancer,
  {
    signer,
    businessId,
    endUsers,
    seed,
  }: { signer: ProviderSigner; businessId: string; endUsers: readonly string[]; seed: number },
): EventLoad {
  const accepted: Accepted[] = []
  const failed: string[] = []
  let isOver = false

  const send = async (externalUserId: string, chance: Chance): Promise<void> => {
    for (let place = 0; !isOver; ) {
      const eventId = `wh_${seed}_${externalUserId}_${place}`
      const body = JSON.stringify({
        event_id: eventId,
        event_type: 'test.happened',
        external_user_id: externalUserId,
        place,
      })
      const headers = { 'content-type': 'application/json', 'x-webhook-signature': signer.sign(body) }
      const { outcome } = await balancer.send({ method: 'POST', path: '/v0/webhooks/provider', headers, body })
      if ('failed' in outcome) failed.push(outcome.failed)
      else {
        accepted.push({ eventId, businessId })
        place += 1
      }
      await delay(chance.below(pauseMsMax))
    }
  }
  const running = Promise.all(endUsers.map((name, at) => send(name, chanceOf(seed, 1_000 + at))))
  return {
    accepted,
    failed,
    async stop() {
      isOver = true
      await running
    },
  }
}
