// The delivery of events: in order and one at a time for each endpoint, freshly signed for each attempt, repeated on
// anything but a 2xx until the waits are used up; then the endpoint stands still until a manual send succeeds. All of
// it goes by the machine's time, whatever the emulator's own clock says.

import { createPrivateKey, type KeyObject } from 'node:crypto'
import { revealLinks } from '../customers/sessions.ts'
import { newId } from '../platform/ids.ts'
import type { World } from '../state/world.ts'
import { upcomingEvents } from './endpoints.ts'
import type { Attempt, Lane, ProviderEvent, Webhook } from './rows.ts'
import { signatureHeader, signatureOf } from './signature.ts'

/** Attempts kept over all endpoints; older ones are forgotten. */
const attemptsMax = 2_000
const responseBytesMax = 1_024

export type Delivery = {
  /** Looks at every endpoint for something to send. */
  wake(): void
  wakeOne(webhookId: string): void
  /** Sends one event outside the row. Success lets a row that stands still go on. */
  sendNow(webhook: Webhook, event: ProviderEvent): Promise<void>
  /** Ends the wait before the next attempt. */
  flush(webhookId: string): void
  close(): void
}

export const createDelivery = (world: World): Delivery => {
  const closing = new AbortController()
  const busy = new Set<string>()
  const keys = new Map<string, KeyObject>()

  const keyOf = ({ id, privateKey }: Webhook): KeyObject => {
    const key = keys.get(id) ?? createPrivateKey(privateKey)
    keys.set(id, key)
    return key
  }

  const attempt = async (webhook: Webhook, { envelope }: ProviderEvent, manual: boolean): Promise<boolean> => {
    const body = revealLinks(world, JSON.stringify(envelope))
    const startedAt = world.clock.real()
    const signature = await signatureOf(keyOf(webhook), startedAt, body)
    const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(world.settings.webhookTimeoutMs)])
    const answer = await post(webhook.url, body, signature, signal)
    if (closing.signal.aborted) return false
    rememberAttempt(world, {
      id: newId(),
      webhook_id: webhook.id,
      event_id: envelope.event_id,
      event_type: envelope.event_type,
      event_sequence: envelope.event_sequence,
      manual,
      ...answer,
      duration_ms: world.clock.real() - startedAt,
      created_at: new Date(world.clock.real()).toISOString(),
    })
    return answer.status >= 200 && answer.status < 300
  }

  const settle = (webhookId: string, sequence: number, delivered: boolean) => {
    const lane = world.state.lanes.get(webhookId)
    // The endpoint was removed, or everything was reset, while the attempt was under way.
    if (!lane || closing.signal.aborted) return
    if (delivered) {
      world.state.lanes.put({ ...lane, cursor: sequence, failures: 0, notBefore: 0 })
      return
    }
    const waitMs = world.settings.webhookRetryMs[lane.failures]
    const failures = lane.failures + 1
    if (waitMs === undefined) world.state.lanes.put({ ...lane, failures, stopped: true })
    else {
      world.state.lanes.put({ ...lane, failures, notBefore: world.clock.real() + waitMs })
      world.later('webhook_attempt', webhookId, waitMs)
    }
  }

  const wakeOne = (webhookId: string) => {
    const webhook = world.state.webhooks.get(webhookId)
    const lane = world.state.lanes.get(webhookId)
    if (!webhook || !lane || busy.has(webhookId) || closing.signal.aborted || !mayGo(world, webhook, lane)) return
    const [event] = upcomingEvents(world, webhook, 1)
    if (!event) return skipTo(world, lane, world.state.lastEventSequence())
    busy.add(webhookId)
    void attempt(webhook, event, false)
      .then((delivered) => settle(webhookId, event.envelope.event_sequence, delivered))
      .finally(() => {
        busy.delete(webhookId)
        wakeOne(webhookId)
      })
  }

  const resume = (webhookId: string) => {
    const lane = world.state.lanes.get(webhookId)
    if (lane) world.state.lanes.put({ ...lane, notBefore: 0, stopped: false })
    wakeOne(webhookId)
  }
  return {
    wake: () => {
      for (const { id } of world.state.webhooks.all()) wakeOne(id)
    },
    wakeOne,
    sendNow: async (webhook, event) => {
      const delivered = await attempt(webhook, event, true)
      if (delivered && world.state.lanes.get(webhook.id)?.stopped) resume(webhook.id)
    },
    flush: resume,
    close: () => closing.abort(),
  }
}

const mayGo = (world: World, webhook: Webhook, lane: Lane): boolean =>
  webhook.status === 'active' && !lane.stopped && lane.notBefore <= world.clock.real()

/** Passes over events that the endpoint did not ask for, so that they are not looked at again each time. */
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
    return { status: 0, response_body: '', error: describe(error) }
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

const describe = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? error.cause.message : error.message
}

const rememberAttempt = (world: World, attempt: Attempt): void => {
  const { attempts } = world.state
  attempts.put(attempt)
  const oldest = attempts.size > attemptsMax ? attempts.oldest() : undefined
  if (oldest) attempts.remove(oldest.id)
}
