// Sends due deliveries: claim under a lease, sign, send with no transaction open, settle fenced by the lease.

import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { ApiError } from '../errors.ts'
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

// The receiver has answered; a database that restarts must not make us ask it again.
const settleRetryMs = 1_000

export type SendLoop = Loop & {
  /** After `stop`: waits this long for what is in flight, ends the rest, and gives back what is still claimed. */
  drain(graceMs: number): Promise<void>
}

export function startSendLoop(deps: Deps, sender: Sender): SendLoop {
  const owner = deps.randomBytes(12).toString('base64url')
  const inFlight = new Set<Promise<void>>()
  const leaseMs = deps.config.webhookTimeoutMs * leaseFactor
  const closing = new AbortController()
  const room = (): number => inFlightMax - inFlight.size

  const loop = startLoop({
    name: 'send',
    log: deps.log,
    async turn() {
      const limit = room()
      if (limit === 0) return false
      const claimed = await deps.db.transaction((tx) => store.claimDeliveries(tx, { owner, leaseMs, limit }))
      const lease = { owner, endsAtMs: performance.now() + leaseMs, closing: closing.signal }
      for (const delivery of claimed) {
        const done = deliver(deps, sender, lease, delivery).finally(() => {
          inFlight.delete(done)
          loop.wake() // the one behind it in its lane may be due now
        })
        inFlight.add(done)
      }
      return claimed.length === limit
    },
    // Without room there is nothing to look for: whatever ends wakes the loop.
    nextDueMs: async () => (room() === 0 ? null : await deps.db.read(store.nextDeliveryDueMs)),
  })

  return {
    ...loop,
    async drain(graceMs) {
      const grace = new AbortController()
      const settled = Promise.allSettled([...inFlight])
      await Promise.race([settled, delay(graceMs, undefined, { signal: grace.signal }).catch(() => {})])
      grace.abort()
      closing.abort()
      await sender.close()
      await settled
      await deps.db.transaction((tx) => store.releaseDeliveries(tx, owner))
    },
  }
}

type Lease = { owner: string; endsAtMs: number; closing: AbortSignal }

async function deliver(deps: Deps, sender: Sender, lease: Lease, delivery: store.ClaimedDelivery): Promise<void> {
  try {
    const startedAt = new Date(deps.now())
    const start = performance.now()
    const outcome = await sender.send({ url: delivery.url, headers: headersOf(deps, delivery), body: delivery.body })
    const durationMs = Math.round(performance.now() - start)
    if (outcome.kind === 'aborted') return // a fault of ours uses up no attempt: drain gives the delivery back
    await whileLeased(lease, () => settle(deps, lease.owner, delivery, outcome, { startedAt, durationMs }))
  } catch (err) {
    deps.log.error({ err, delivery: delivery.id }, 'a delivery could not be sent or settled; its lease will run out')
  }
}

/** Tries until the database is there, for as long as nobody else can have the delivery. A second try finds what the first one did. */
async function whileLeased(lease: Lease, work: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      const isAway = error instanceof ApiError && error.code === 'database_unavailable'
      if (!isAway || lease.closing.aborted || performance.now() + settleRetryMs > lease.endsAtMs) throw error
      await delay(settleRetryMs, undefined, { signal: lease.closing }).catch(() => {})
    }
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
