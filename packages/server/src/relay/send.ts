// Sends due deliveries: claim under a lease, sign, send with no transaction open, settle fenced by the lease.

import { performance } from 'node:perf_hooks'
import type { Deps } from '../services/deps.ts'
import { announceDisabled } from '../services/webhook-endpoints.ts'
import * as store from '../store/deliveries.ts'
import { disableEndpoint } from '../store/webhook-endpoints.ts'
import { version } from '../version.ts'
import { type Loop, startLoop } from './loop.ts'
import type { Sender, SendOutcome } from './sender.ts'
import { deliveryHeaders, importSecret } from './signing.ts'

const inFlightMax = 64
// Four times the send deadline: a stalled event loop must not let a second replica send the same delivery.
const leaseFactor = 4
const jitter = 0.2

export type SendLoop = Loop & {
  /** Waits for what is in flight, then gives back what is still claimed. */
  drain(): Promise<void>
}

export function startSendLoop(deps: Deps, sender: Sender): SendLoop {
  const owner = deps.randomBytes(12).toString('base64url')
  const inFlight = new Set<Promise<void>>()
  const leaseMs = deps.config.webhookTimeoutMs * leaseFactor

  const loop = startLoop({
    name: 'send',
    log: deps.log,
    async turn() {
      const room = inFlightMax - inFlight.size
      if (room === 0) return false
      const claimed = await deps.db.transaction((tx) => store.claimDeliveries(tx, { owner, leaseMs, limit: room }))
      for (const delivery of claimed) {
        const done = deliver(deps, sender, owner, delivery).finally(() => {
          inFlight.delete(done)
          loop.wake() // the one behind it in its lane may be due now
        })
        inFlight.add(done)
      }
      return claimed.length === room && room > 0
    },
    nextDueMs: () => deps.db.read(store.nextDeliveryDueMs),
  })

  return {
    ...loop,
    async drain() {
      await Promise.allSettled([...inFlight])
      await deps.db.transaction((tx) => store.releaseDeliveries(tx, owner))
    },
  }
}

async function deliver(deps: Deps, sender: Sender, owner: string, delivery: store.ClaimedDelivery): Promise<void> {
  try {
    const startedAt = new Date(deps.now())
    const start = performance.now()
    const outcome = await sender.send({ url: delivery.url, headers: headersOf(deps, delivery), body: delivery.body })
    const durationMs = Math.round(performance.now() - start)
    if (outcome.kind === 'aborted') return // a fault of ours uses up no attempt: drain gives the delivery back
    await settle(deps, owner, delivery, outcome, { startedAt, durationMs })
  } catch (err) {
    deps.log.error({ err, delivery: delivery.id }, 'a delivery could not be sent or settled; its lease will run out')
  }
}

function headersOf(deps: Deps, delivery: store.ClaimedDelivery): Record<string, string> {
  const secrets = [deps.secrets.open(delivery.secretSealed, delivery.businessId)]
  const overlapEndsAt = delivery.previousSecretExpiresAt?.getTime() ?? 0
  if (delivery.previousSecretSealed && overlapEndsAt > deps.now()) {
    secrets.push(deps.secrets.open(delivery.previousSecretSealed, delivery.businessId))
  }
  return deliveryHeaders({
    id: `${delivery.eventId}_${delivery.endpointId}`,
    timestampSeconds: Math.floor(deps.now() / 1000),
    body: delivery.body,
    secrets: secrets.map(importSecret),
    eventType: delivery.eventType,
    externalUserId: delivery.externalUserId,
    sequence: delivery.sequence,
    attempt: delivery.attempts + 1,
    isVerified: delivery.trust !== 'unverified',
    version,
  })
}

async function settle(
  deps: Deps,
  owner: string,
  delivery: store.ClaimedDelivery,
  outcome: SendOutcome,
  timing: { startedAt: Date; durationMs: number },
): Promise<void> {
  const settlement = settlementOf(deps, delivery, outcome)
  const response = outcome.kind === 'response' ? outcome : null
  await deps.db.transaction(async (tx) => {
    const held = await store.settleDelivery(tx, delivery, owner, settlement, {
      outcome: response ? `http_${response.status}` : outcome.kind,
      httpStatus: response?.status ?? null,
      responseBody: response?.responseBody ?? null,
      detail: 'detail' in outcome ? outcome.detail : null,
      ...timing,
    })
    if (
      held &&
      response?.stop &&
      (await disableEndpoint(tx, delivery.businessId, delivery.endpointId, 'The receiver answered 410 Gone.'))
    ) {
      await announceDisabled(deps, tx, delivery.businessId, delivery.endpointId)
    }
  })
}

function settlementOf(deps: Deps, delivery: store.ClaimedDelivery, outcome: SendOutcome): store.Settlement {
  const response = outcome.kind === 'response' ? outcome : null
  if (response && response.status >= 200 && response.status < 300) return { status: 'delivered' }
  const waitSeconds = deps.config.webhookRetrySeconds[delivery.attempts]
  if (waitSeconds === undefined) return { status: 'exhausted' }
  const spread = 1 + jitter * (2 * (deps.randomBytes(4).readUInt32BE() / 0xffffffff) - 1)
  return { status: 'pending', retryInMs: Math.max(waitSeconds * 1_000 * spread, response?.retryAfterMs ?? 0) }
}
