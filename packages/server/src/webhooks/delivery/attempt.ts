// One attempt of one delivery: sign, send, tell the lane, have the outcome written, and draw the consequences.

import type { KeyObject } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import type { ServerDeps } from '../../app/context.ts'
import { isSealedBody, noResponse, plainBody, type StoredResponse, sealedResponse } from '../../events/bodies.ts'
import { attemptDuration, deliveriesEnded } from '../../platform/observe/metrics.ts'
import { type Facts, traced } from '../../platform/observe/traces.ts'
import { version } from '../../platform/version.ts'
import { disableFailingEndpoint } from '../endpoints/service.ts'
import type { Lane } from './lane.ts'
import { readBody, type WaitingDelivery } from './lane-reading.store.ts'
import { type LaneConfig, noteHealth } from './lanes.store.ts'
import type { SendOutcome } from './sender/exchange.ts'
import type { Sender } from './sender/sender.ts'
import { deliveryHeaders, importSecret } from './sender/signing.ts'
import type { Outcome } from './settlement.store.ts'
import type { Settler } from './settler.ts'

const jitter = 0.2
/** After a fault of ours a lane rests for so long. */
const troubleMs = 1_000
/** An endpoint that has only failed for so long is switched off. */
const failingMsMax = 5 * 24 * 60 * 60 * 1_000

/** `isSealed`: the event is about a person, and lies sealed. */
type Exchanged = { outcome: SendOutcome; isSealed: boolean }

/** `answered`: there is room for another send; `settled`: its outcome is in the database, or in doubt. Each is called once. */
type Hooks = { answered(): void; settled(): void }

export type Attempts = {
  begin(lane: Lane, delivery: WaitingDelivery, hooks: Hooks): void
  /** Resolves when none is under way. */
  ended(): Promise<void>
}

export function createAttempts(deps: ServerDeps, sender: Sender, settler: Settler): Attempts {
  const running = new Set<Promise<void>>()
  const keys = new WeakMap<LaneConfig, KeyObject[]>()

  const attempt = async (lane: Lane, delivery: WaitingDelivery, hooks: Hooks): Promise<void> => {
    const startedAt = new Date(deps.now())
    const startedMs = performance.now()
    const { outcome, isSealed } = await exchange(lane, delivery)
    if (outcome.kind === 'aborted') {
      lane.putBack(delivery, performance.now() + troubleMs)
      hooks.answered()
      hooks.settled()
      return
    }
    const isDelivered = outcome.kind === 'response' && isSuccess(outcome.status)
    if (outcome.kind !== 'response' && outcome.operatorDetail !== undefined) {
      const { endpointId, businessId } = lane
      const facts = {
        business: businessId,
        endpoint: endpointId,
        delivery: delivery.id,
        reason: outcome.operatorDetail,
      }
      deps.log.info(facts, 'webhook host has no address that deliveries may go to')
    }
    attemptDuration.observe({ outcome: outcomeLabel(outcome, isDelivered) }, outcome.durationMs / 1000)
    const nowMs = performance.now()
    if (isDelivered) lane.pace.succeeded(nowMs)
    else lane.pace.failed(nowMs)
    lane.answered(delivery)
    hooks.answered()
    const settlement = isDelivered ? delivered : failed(deps, delivery, outcome)
    // Before the outcome is written: after it, a retry may begin.
    if (outcome.kind === 'response' && outcome.stop) await stopSending(lane, startedMs)
    const response = responseOf(deps, { id: delivery.id, isSealed, isDelivered }, outcome)
    const written = await settler.write({ ...outcomeOf(lane, delivery, settlement, outcome, startedAt), ...response })
    if (written !== 'lost' && settlement.status !== 'pending') deliveriesEnded.inc({ status: settlement.status })
    if (written === 'lost') lane.doubt(delivery)
    else lane.settled(delivery, written === null ? null : performance.now() + written)
    hooks.settled()
    await drawConsequences(lane, isDelivered, startedMs)
  }

  /** A fault of ours is `aborted`: it says nothing about the receiver and uses up no attempt. */
  const exchange = async (lane: Lane, delivery: WaitingDelivery): Promise<Exchanged> => {
    const { config } = lane
    try {
      const stored = delivery.body ?? (await deps.db.byIndex((query) => readBody(query, delivery.eventId)))
      if (!config || !stored) throw new Error('a delivery without a body or an endpoint')
      const body = plainBody(deps, { id: delivery.eventId, body: stored })
      const request = { businessId: lane.businessId, url: config.url, headers: headersOf(config, delivery, body), body }
      const facts: Facts = { attempt: delivery.attempts + 1 }
      const outcome = await traced('delivery', facts, async () => {
        const outcome = await sender.send(request)
        facts['outcome'] = outcome.kind
        if (outcome.kind === 'response') facts['status'] = outcome.status
        return outcome
      })
      return { outcome, isSealed: isSealedBody(stored) }
    } catch (err) {
      deps.log.error({ err, delivery: delivery.id }, 'a delivery could not be sent')
      return { outcome: { kind: 'aborted', durationMs: 0 }, isSealed: false }
    }
  }

  const signsByKeyPair = deps.config.webhookSignatureSchemes === 'v1,v1a'
  const ed25519 = signsByKeyPair ? deps.secrets.eventSigningKeys[0]?.privateKey : undefined

  const headersOf = (config: LaneConfig, delivery: WaitingDelivery, body: Buffer): Record<string, string> =>
    deliveryHeaders({
      id: `${delivery.eventId}_${delivery.endpointId}`,
      timestampSeconds: Math.floor(deps.now() / 1000),
      body,
      secrets: secretsOf(config, delivery.businessId),
      ed25519,
      eventType: delivery.eventType,
      externalUserId: delivery.externalUserId,
      sequence: delivery.sequence,
      attempt: delivery.attempts + 1,
      isVerified: delivery.isVerified,
      version,
    })

  /** Opened once for each configuration: opening costs more than signing. */
  const secretsOf = (config: LaneConfig, businessId: string): KeyObject[] => {
    const { previousSecretSealed, previousSecretExpiresAt } = config
    const known =
      keys.get(config) ??
      [config.secretSealed, ...(previousSecretSealed ? [previousSecretSealed] : [])].map((sealed) =>
        importSecret(deps.secrets.open(sealed, businessId)),
      )
    keys.set(config, known)
    return (previousSecretExpiresAt?.getTime() ?? 0) > deps.now() ? known : known.slice(0, 1)
  }

  const switchOff = async (lane: Lane, disabledReason: string, startedMs: number): Promise<void> =>
    await disableFailingEndpoint(deps, lane, { disabledReason, startedMs })

  const stopSending = async (lane: Lane, startedMs: number): Promise<void> => {
    lane.beginClosing()
    try {
      await switchOff(lane, 'The receiver answered 410 Gone.', startedMs)
    } catch (err) {
      deps.log.error({ err, endpoint: lane.endpointId }, 'an endpoint that is gone could not be switched off')
    }
    lane.endClosing()
  }

  const drawConsequences = async (lane: Lane, isDelivered: boolean, startedMs: number): Promise<void> => {
    const { failures } = lane.pace
    // Only what changes is written: the first failure, the first success after it, and when the breaker opens.
    const isNews = isDelivered ? lane.failingSince !== null : lane.failingSince === null || lane.pace.hasJustTripped
    if (isNews) {
      const { endpointId, fence } = lane
      lane.failingSince = isDelivered ? null : (lane.failingSince ?? new Date(deps.now()))
      const owner = settler.owner
      await deps.db.byIndex((query) =>
        noteHealth(query, owner, { endpointId, fence, failures, isFailing: !isDelivered }),
      )
    }
    if (!isDelivered && lane.failingSince && deps.now() - lane.failingSince.getTime() > failingMsMax) {
      await switchOff(lane, 'It had only failed for 5 days.', startedMs)
    }
  }

  return {
    begin(lane, delivery, hooks) {
      const done = attempt(lane, delivery, hooks)
        .catch((err: unknown) =>
          deps.log.error({ err, endpoint: lane.endpointId }, 'an endpoint could not be looked after'),
        )
        .finally(() => running.delete(done))
      running.add(done)
    },
    async ended() {
      while (running.size > 0) await Promise.all(running)
    },
  }
}

/** Statuses by their hundreds: a label has few values. */
function outcomeLabel(outcome: Exclude<SendOutcome, { kind: 'aborted' }>, isDelivered: boolean): string {
  if (isDelivered) return 'delivered'
  return outcome.kind === 'response' ? `${Math.floor(outcome.status / 100)}xx` : outcome.kind
}

type Settlement = Pick<Outcome, 'status' | 'retryInMs'>

const delivered: Settlement = { status: 'delivered', retryInMs: null }

function failed(deps: ServerDeps, delivery: WaitingDelivery, outcome: SendOutcome): Settlement {
  const waitSeconds = deps.config.webhookRetrySeconds[delivery.attempts - delivery.attemptsBefore]
  const isStopped = outcome.kind === 'response' && outcome.stopsRetries
  if (waitSeconds === undefined || isStopped) return { status: 'exhausted', retryInMs: null }
  const spread = 1 + jitter * (2 * (deps.randomBytes(4).readUInt32BE() / 0xffffffff) - 1)
  const retryAfterMs = outcome.kind === 'response' ? (outcome.retryAfterMs ?? 0) : 0
  return { status: 'pending', retryInMs: Math.max(waitSeconds * 1_000 * spread, retryAfterMs) }
}

/** A receiver may repeat the event: of one about a person its answer lies sealed, and one that tells of success is not kept. */
function responseOf(
  deps: ServerDeps,
  delivery: { id: string; isSealed: boolean; isDelivered: boolean },
  outcome: SendOutcome,
): StoredResponse {
  if (outcome.kind !== 'response') return noResponse
  if (!delivery.isSealed) return { responseBody: outcome.responseBody, responseSealed: null }
  return delivery.isDelivered ? noResponse : sealedResponse(deps, delivery.id, outcome.responseBody)
}

function outcomeOf(
  lane: Lane,
  delivery: WaitingDelivery,
  settlement: Settlement,
  outcome: Exclude<SendOutcome, { kind: 'aborted' }>,
  startedAt: Date,
): Omit<Outcome, keyof StoredResponse> {
  const response = outcome.kind === 'response' ? outcome : null
  return {
    endpointId: lane.endpointId,
    fence: lane.fence,
    sequence: delivery.sequence,
    attempts: delivery.attempts,
    attemptsBefore: delivery.attemptsBefore,
    ...settlement,
    outcome: response ? `http_${response.status}` : outcome.kind,
    httpStatus: response?.status ?? null,
    detail: detailOf(outcome),
    durationMs: Math.round(outcome.durationMs),
    startedAt,
  }
}

/** A sentence for the business, where the status alone does not tell it all. */
function detailOf(outcome: Exclude<SendOutcome, { kind: 'aborted' }>): string | null {
  if (outcome.kind !== 'response') return outcome.detail
  return outcome.stopsRetries && !isSuccess(outcome.status)
    ? 'The receiver asked for no further attempt (svc-retry: stop).'
    : null
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300
}
