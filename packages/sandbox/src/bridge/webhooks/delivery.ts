// The delivery of events: in order, and one at a time for each endpoint. Each attempt has a new signature, and is retried until a
// 2xx response. After the last retry, the endpoint's lane stops until a manual send succeeds. Delivery uses the time of the
// machine, not the sandbox clock.
import { createPrivateKey, type KeyObject } from 'node:crypto'
import { newId } from '../../platform/ids.ts'
import type { World } from '../state/world.ts'
import { upcomingEvents } from './endpoints.ts'
import type { Attempt, Lane, ProviderEvent, Webhook } from './rows.ts'
import { signatureHeader, signatureOf } from './signature.ts'

/** Attempts kept over all endpoints. The oldest is removed first. */
const attemptsMax = 2_000
const responseBytesMax = 1_024

export type Delivery = {
  /** Looks at every endpoint for something to send. */
  wake(): void
  wakeOne(webhookId: string): void
  /** Sends one event outside the lane. Success restarts a lane that has stopped. */
  sendNow(webhook: Webhook, event: ProviderEvent): Promise<void>
  /** Ends the wait before the next attempt. */
  flush(webhookId: string): void
  close(): void
}

/** @param reveal replaces the placeholders of links in a JSON text by URLs */
export const createDelivery = (world: World, reveal: (json: string) => string): Delivery => {
  const { webhooks, lanes } = world.state
  const closing = new AbortController()
  const busy = new Set<string>()
  const attempt = createSender(world, reveal, closing.signal)

  const wakeOne = (webhookId: string) => {
    const webhook = webhooks.get(webhookId)
    const lane = lanes.get(webhookId)
    if (!webhook || !lane || busy.has(webhookId) || closing.signal.aborted || !isDue(world, webhook, lane)) return
    const [event] = upcomingEvents(world, webhook, 1)
    if (!event) return skipTo(world, lane, world.state.lastEventSequence())
    busy.add(webhookId)
    void attempt(webhook, event, false)
      .then((isDelivered) => {
        if (!closing.signal.aborted) recordOutcome(world, webhookId, event.envelope.event_sequence, isDelivered)
      })
      .finally(() => {
        busy.delete(webhookId)
        wakeOne(webhookId)
      })
  }
  const restart = (webhookId: string) => {
    const lane = lanes.get(webhookId)
    if (lane) lanes.put({ ...lane, notBefore: 0, stopped: false })
    wakeOne(webhookId)
  }
  return {
    wake: () => {
      for (const { id } of webhooks.all()) wakeOne(id)
    },
    wakeOne,
    sendNow: async (webhook, event) => {
      const isDelivered = await attempt(webhook, event, true)
      if (isDelivered && lanes.get(webhook.id)?.stopped) restart(webhook.id)
    },
    flush: restart,
    close: () => closing.abort(),
  }
}

type Sender = (webhook: Webhook, event: ProviderEvent, isManual: boolean) => Promise<boolean>

/** Makes the function that sends one attempt, stores its outcome, and tells whether it was delivered. */
const createSender = (world: World, reveal: (json: string) => string, closing: AbortSignal): Sender => {
  const keys = new Map<string, KeyObject>()
  const keyOf = ({ id, privateKey }: Webhook): KeyObject => {
    const key = keys.get(id) ?? createPrivateKey(privateKey)
    keys.set(id, key)
    return key
  }
  return async (webhook, { envelope }, manual) => {
    const body = reveal(JSON.stringify(envelope))
    const startedAt = world.clock.machine()
    const signature = await signatureOf(keyOf(webhook), startedAt, body)
    const signal = AbortSignal.any([closing, AbortSignal.timeout(world.settings.webhookTimeoutMs)])
    const answer = await post(webhook.url, body, signature, signal)
    if (closing.aborted) return false
    storeAttempt(world, {
      id: newId(),
      webhook_id: webhook.id,
      event_id: envelope.event_id,
      event_type: envelope.event_type,
      event_sequence: envelope.event_sequence,
      manual,
      ...answer,
      duration_ms: world.clock.machine() - startedAt,
      created_at: new Date(world.clock.machine()).toISOString(),
    })
    return answer.status >= 200 && answer.status < 300
  }
}

const recordOutcome = (world: World, webhookId: string, sequence: number, isDelivered: boolean): void => {
  const { lanes } = world.state
  const lane = lanes.get(webhookId)
  // The endpoint was removed, or everything was reset, during the attempt.
  if (!lane) return
  if (isDelivered) {
    lanes.put({ ...lane, cursor: sequence, failures: 0, notBefore: 0 })
    return
  }
  const waitMs = world.settings.webhookRetryMs[lane.failures]
  const failures = lane.failures + 1
  if (waitMs === undefined) lanes.put({ ...lane, failures, stopped: true })
  else {
    lanes.put({ ...lane, failures, notBefore: world.clock.machine() + waitMs })
    world.schedule('webhook_attempt', webhookId, waitMs)
  }
}

const isDue = (world: World, webhook: Webhook, lane: Lane): boolean =>
  webhook.status === 'active' && !lane.stopped && lane.notBefore <= world.clock.machine()

/** Skips events of other categories, so that the next wake does not read them again. */
const skipTo = (world: World, lane: Lane, sequence: number): void => {
  if (lane.cursor < sequence) world.state.lanes.put({ ...lane, cursor: sequence })
}

type HttpAnswer = Pick<Attempt, 'status' | 'response_body' | 'error'>

const post = async (url: string, body: string, signature: string, signal: AbortSignal): Promise<HttpAnswer> => {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': 'Bridge-Sandbox', [signatureHeader]: signature },
      body,
      redirect: 'manual',
      signal,
    })
    return { status: response.status, response_body: await beginningOf(response), error: null }
  } catch (error) {
    return { status: 0, response_body: '', error: messageOf(error) }
  }
}

const beginningOf = async (response: Response): Promise<string> => {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    if (text.length >= responseBytesMax) break
  }
  return text.slice(0, responseBytesMax)
}

const messageOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? error.cause.message : error.message
}

const storeAttempt = (world: World, attempt: Attempt): void => {
  const { attempts } = world.state
  attempts.put(attempt)
  const oldest = attempts.size > attemptsMax ? attempts.oldest() : undefined
  if (oldest) attempts.remove(oldest.id)
}
