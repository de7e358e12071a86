// Runs one attempt of one delivery: signs, sends, reports to the lane, stores and logs the outcome, and updates the
// health of the endpoint.

import type { KeyObject } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import { isSealedBody, plainBody } from '../../events/bodies.ts'
import { stampLine } from '../../events/headers.rules.ts'
import type { WaitingDelivery } from '../../events/local-relay.ts'
import type { ServerCore } from '../../platform/core.ts'
import type { Answer, SendOutcome } from '../../platform/guarded-http/exchange.ts'
import type { Sender } from '../../platform/guarded-http/sender.ts'
import { attemptDuration, deliveriesEnded } from '../../platform/observe/metrics.ts'
import { type Facts, traced } from '../../platform/observe/traces.ts'
import { version } from '../../platform/version.ts'
import { disableFailingEndpoint } from '../endpoints/service.ts'
import { deliveryHeaders, importSecret } from '../signing.ts'
import type { Lane } from './lane.ts'
import { readBody } from './lane-reading.store.ts'
import { type LaneConfig, updateHealth } from './lanes.store.ts'
import { isDelivered, outcomeLabel, outcomeOf } from './outcome.ts'
import type { OutcomeWriter, WriteResult } from './outcome-writer.ts'
import type { Outcome } from './outcomes.store.ts'
import type { Sending } from './scheduler.ts'

/** Pause of a lane after a local fault. */
const troubleMs = 1_000
/** An endpoint is disabled after every attempt has failed for this time. */
const failingMsMax = 5 * 24 * 60 * 60 * 1_000

/** `answered` and `settled` are each called once per attempt. */
export type AttemptHooks = {
  /** @returns whether the lease of this replica is long enough to start a send now */
  isLeased(): boolean
  /** There is room for another send. */
  answered(sending: Sending): void
  /** The outcome is in the database, or unknown. */
  settled(sending: Sending): void
}

type Sent = { outcome: SendOutcome; isSealed: boolean; sentAs: string | null }

export class Attempts {
  readonly #deps: ServerCore
  readonly #sender: Sender
  readonly #writer: OutcomeWriter
  readonly #hooks: AttemptHooks
  readonly #running = new Set<Promise<void>>()
  readonly #keys = new WeakMap<LaneConfig, KeyObject[]>()
  readonly #ed25519: KeyObject | undefined

  constructor(deps: ServerCore, sender: Sender, writer: OutcomeWriter, hooks: AttemptHooks) {
    this.#deps = deps
    this.#sender = sender
    this.#writer = writer
    this.#hooks = hooks
    const signsByKeyPair = deps.config.webhookSignatureSchemes === 'v1,v1a'
    this.#ed25519 = signsByKeyPair ? deps.secrets.eventSigningKeys[0]?.privateKey : undefined
  }

  begin(sending: Sending): void {
    const endpoint = sending.lane.endpointId
    const done = this.#attempt(sending)
      .catch((err: unknown) => {
        this.#deps.log.error({ err, endpoint }, 'delivery attempt not settled, its lane will be reloaded')
        sending.lane.doubt(sending.delivery)
      })
      .finally(() => this.#running.delete(done))
    this.#running.add(done)
  }

  /** Resolves when no attempt is running. */
  async ended(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running)
  }

  async #attempt(sending: Sending): Promise<void> {
    const { lane, delivery } = sending
    const startedAt = new Date(this.#deps.now())
    const startedMs = performance.now()
    const { outcome: answer, isSealed, sentAs } = await this.#send(lane, delivery)
    const nowMs = performance.now()
    if (answer.kind === 'aborted') {
      lane.putBack(delivery, nowMs + troubleMs)
      this.#hooks.answered(sending)
      this.#hooks.settled(sending)
      return
    }
    attemptDuration.observe({ outcome: outcomeLabel(answer) }, answer.durationMs / 1000)
    if (isDelivered(answer)) lane.breaker.succeeded(nowMs)
    else lane.breaker.failed(nowMs)
    lane.answered(delivery)
    this.#hooks.answered(sending)
    // Before the outcome is written: once it is, a retry may begin.
    if (answer.kind === 'response' && answer.isGone) await this.#stopLane(lane, startedMs)
    const outcome = outcomeOf(this.#deps, { lane, delivery, answer, startedAt, isSealed, sentAs })
    const result = await this.#writer.write(outcome, outcome.status !== 'delivered' || lane.awaits(delivery))
    if (result === 'lost') lane.doubt(delivery)
    else lane.settled(delivery, result === null ? null : performance.now() + result)
    if (result !== 'lost' && outcome.status !== 'retrying') deliveriesEnded.inc({ status: outcome.status })
    this.#hooks.settled(sending)
    this.#logAttempt(sending, answer, outcome, result)
    await this.#updateHealth(lane, isDelivered(answer), startedMs).catch((err: unknown) =>
      this.#deps.log.error({ err, endpoint: lane.endpointId }, 'endpoint health not updated'),
    )
  }

  /**
   * Sends the event. A local fault ends as `aborted`: it says nothing about the receiver and uses no attempt.
   * @returns `isSealed`: the event is about a person, and its body is stored encrypted; `sentAs`: the stored part of
   * the headers
   */
  async #send(lane: Lane, delivery: WaitingDelivery): Promise<Sent> {
    const { config, businessId } = lane
    try {
      const stored = delivery.body ?? (await this.#deps.db.byIndex((query) => readBody(query, delivery.eventId)))
      if (!config || !stored) throw new Error('a delivery without a body or an endpoint')
      // Loading the body may have taken longer than the rest of the lease.
      if (!delivery.body && !this.#hooks.isLeased()) throw new Error('the lease ends before a send could')
      const body = plainBody(this.#deps, { id: delivery.eventId, body: stored })
      const headers = this.#headers(config, delivery, body)
      const request = { businessId, url: config.url, headers, body }
      const facts: Facts = { attempt: delivery.attempts + 1 }
      const outcome = await traced('delivery', facts, async () => {
        const outcome = await this.#sender.send(request)
        facts['outcome'] = outcome.kind
        if (outcome.kind === 'response') facts['status'] = outcome.status
        return outcome
      })
      return { outcome, isSealed: isSealedBody(stored), sentAs: stampLine(headers) }
    } catch (err) {
      this.#deps.log.error({ err, delivery: delivery.id }, 'delivery not sent')
      return { outcome: { kind: 'aborted', durationMs: 0 }, isSealed: false, sentAs: null }
    }
  }

  #headers(config: LaneConfig, delivery: WaitingDelivery, body: Buffer): Record<string, string> {
    return deliveryHeaders({
      id: `${delivery.eventId}_${delivery.endpointId}`,
      timestampSeconds: Math.floor(this.#deps.now() / 1000),
      body,
      secrets: this.#secretsOf(config, delivery.businessId),
      ed25519: this.#ed25519,
      eventType: delivery.eventType,
      externalUserId: delivery.externalUserId,
      sequence: delivery.sequence,
      attempt: delivery.attempts + 1,
      isVerified: delivery.isVerified,
      version,
    })
  }

  /** Decrypts the secrets once per refresh of the lane: decrypting costs more than signing. */
  #secretsOf(config: LaneConfig, businessId: string): KeyObject[] {
    const { secretSealed, previousSecretSealed, previousSecretUntilMs } = config
    let keys = this.#keys.get(config)
    if (!keys) {
      const sealed = previousSecretSealed ? [secretSealed, previousSecretSealed] : [secretSealed]
      keys = sealed.map((secret) => importSecret(this.#deps.secrets.open(secret, businessId)))
      this.#keys.set(config, keys)
    }
    return previousSecretUntilMs !== null && previousSecretUntilMs > performance.now() ? keys : keys.slice(0, 1)
  }

  /** Logs one line per attempt, without the event, the URL and the response, which may contain confidential data. */
  #logAttempt({ lane, delivery }: Sending, answer: Answer, outcome: Outcome, result: WriteResult): void {
    const level = outcome.status === 'exhausted' ? 'warn' : 'info'
    this.#deps.log[level](
      {
        business: lane.businessId,
        endpoint: lane.endpointId,
        delivery: delivery.id,
        eventType: delivery.eventType,
        attempt: delivery.attempts + 1,
        outcome: outcome.outcome,
        httpStatus: outcome.httpStatus ?? undefined,
        durationMs: outcome.durationMs,
        nextAttemptInMs: typeof result === 'number' ? Math.round(result) : undefined,
        isLost: result === 'lost' || undefined,
        reason: answer.kind === 'response' ? undefined : answer.operatorDetail,
      },
      'delivery attempt',
    )
  }

  async #stopLane(lane: Lane, startedMs: number): Promise<void> {
    lane.beginDisabling()
    const verdict = { disabledReason: 'The receiver responded with 410 Gone.', startedMs }
    await disableFailingEndpoint(this.#deps, lane, verdict).catch((err: unknown) =>
      this.#deps.log.error({ err, endpoint: lane.endpointId }, 'endpoint that returned 410 not disabled'),
    )
    lane.endDisabling()
  }

  /** Writes only what changes: the first failure, the first success after it, and the failure that trips the breaker. */
  async #updateHealth(lane: Lane, isSuccess: boolean, startedMs: number): Promise<void> {
    const { endpointId, fence, breaker } = lane
    const { failures } = breaker
    if (isSuccess ? lane.failingSinceMs !== null : lane.failingSinceMs === null || breaker.hasJustTripped) {
      lane.failingSinceMs = isSuccess ? null : (lane.failingSinceMs ?? performance.now())
      const health = { endpointId, fence, failures, isFailing: !isSuccess }
      const write = () => this.#deps.db.byIndex((query) => updateHealth(query, this.#writer.owner, health))
      lane.healthWritten = lane.healthWritten.then(write, write)
      await lane.healthWritten
    }
    if (lane.failingSinceMs !== null && performance.now() - lane.failingSinceMs > failingMsMax) {
      const disabledReason = 'Every attempt has failed for 5 days. Fix the receiver, then enable the endpoint.'
      await disableFailingEndpoint(this.#deps, lane, { disabledReason, startedMs })
    }
  }
}
