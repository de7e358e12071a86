// Everything that there is to see at the end of a chaos run: by the API as each business sees it, at the provider, and at
// the receivers.

import { Webhook } from 'standardwebhooks'
import type { JsonObject } from '../../../../server/src/platform/values/json.ts'
import type { ChaosProvider, ProviderRecord } from '../../relay-world/provider.ts'
import { type Caller, readAll } from '../caller.ts'
import type { Received } from '../receivers.ts'
import type { ChaosBusiness } from '../world.ts'

export type Delivery = {
  /** The body's `event_id`. */
  eventId: string
  sequence: number
  webhookId: string
  body: string
  answered: boolean
  isVerified: boolean
}

export type BusinessEvidence = {
  business: Pick<ChaosBusiness, 'index' | 'id' | 'mark' | 'endpointId'>
  users: readonly JsonObject[]
  accounts: readonly JsonObject[]
  deposits: readonly JsonObject[]
  events: readonly JsonObject[]
  deliveries: readonly Delivery[]
}

export type Evidence = { businesses: readonly BusinessEvidence[]; provider: ProviderRecord }

export async function gatherEvidence(
  {
    businesses,
    provider,
    received,
  }: { businesses: readonly ChaosBusiness[]; provider: ChaosProvider; received: readonly Received[] },
  callerFor: (business: ChaosBusiness) => Caller,
): Promise<Evidence> {
  const seen = businesses.map(async (business): Promise<BusinessEvidence> => {
    const caller = callerFor(business)
    return {
      business,
      users: await readAll(caller, '/v0/end-users'),
      accounts: await readAll(caller, '/v0/virtual-accounts'),
      deposits: await readAll(caller, '/v0/deposits'),
      events: await readAll(caller, '/v0/events'),
      deliveries: received
        .filter((one) => one.business === business.index)
        .map((one) => deliveryOf(one, business.secret)),
    }
  })
  return { businesses: await Promise.all(seen), provider: await provider.record() }
}

function deliveryOf({ headers, body, answered }: Received, secret: string): Delivery {
  return {
    eventId: String((JSON.parse(body) as JsonObject)['event_id']),
    sequence: Number(headers['svc-sequence']),
    webhookId: headers['webhook-id'] ?? '',
    body,
    answered,
    isVerified: isVerified(headers, body, secret),
  }
}

/** By an independent verifier; at any time, for a long run is judged at its end. */
function isVerified(headers: Record<string, string>, body: string, secret: string): boolean {
  const realNow = Date.now
  const atMs = Number(headers['webhook-timestamp']) * 1_000
  Date.now = () => atMs
  try {
    new Webhook(secret).verify(body, headers)
    return true
  } catch {
    return false
  } finally {
    Date.now = realNow
  }
}
