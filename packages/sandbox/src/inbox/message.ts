// Owns what is remembered of one delivery: the parts a developer looks for, read from its headers, and the verdict.
import type { IncomingHttpHeaders } from 'node:http'
import { judge, type Verdict } from './signature.ts'

export const bodyBytesKeptMax = 64 * 1024

export type Message = {
  /** Counts up over all inboxes; unique where `id` repeats with every attempt. */
  number: number
  /** `webhook-id`: the same for every attempt of one delivery. */
  id: string | null
  receivedAt: string
  eventType: string | null
  externalUserId: string | null
  sequence: number | null
  attempt: number | null
  /** `null` when no secret is set, so nothing could be checked. */
  verified: boolean | null
  verdict: Verdict
  /** An earlier message with this id was answered with 2xx and had no wrong signature. */
  duplicate: boolean
  /** What it was answered with; `null` while it waits, and for good when the sender gave up. */
  status: number | null
  headers: Record<string, string>
  /** The body as text, its first 64 KiB. */
  body: string
  bodyBytes: number
  truncated: boolean
}

const text = (headers: IncomingHttpHeaders, name: string): string | null => {
  const value = headers[name]
  return typeof value === 'string' && value !== '' ? value : null
}

const wholeNumber = (headers: IncomingHttpHeaders, name: string): number | null => {
  const value = text(headers, name)
  return value !== null && /^\d{1,15}$/.test(value) ? Number(value) : null
}

const flatten = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]))

const verification = (verdict: Verdict): Pick<Message, 'verified' | 'verdict'> => ({
  verified: verdict === 'no_secret' ? null : verdict === 'valid',
  verdict,
})

/**
 * Judges a delivery again, because the secret of its endpoint may become known only after it arrived. Of a body that was cut,
 * and of one that was no text, the bytes are gone: its verdict stays.
 */
export const judgeAgain = (message: Message, keys: readonly Buffer[]): void => {
  const body = Buffer.from(message.body)
  if (message.truncated || body.length !== message.bodyBytes || message.verified === true) return
  const { id, headers } = message
  const [timestamp = null, signature = null] = [headers['webhook-timestamp'], headers['webhook-signature']]
  Object.assign(message, verification(judge({ id, timestamp, signature, body }, keys, Date.parse(message.receivedAt))))
}

type Arrival = { headers: IncomingHttpHeaders; body: Buffer; keys: readonly Buffer[]; nowMs: number }

/** What a delivery says of itself, and whether its signature holds. What becomes of it is the store's to add. */
export const describeDelivery = (arrival: Arrival): Omit<Message, 'number' | 'duplicate' | 'status'> => {
  const { headers, body, keys, nowMs } = arrival
  const id = text(headers, 'webhook-id')
  const timestamp = text(headers, 'webhook-timestamp')
  const signature = text(headers, 'webhook-signature')
  const verdict = judge({ id, timestamp, signature, body }, keys, nowMs)
  return {
    id,
    receivedAt: new Date(nowMs).toISOString(),
    eventType: text(headers, 'svc-event-type'),
    externalUserId: text(headers, 'svc-external-user-id'),
    sequence: wholeNumber(headers, 'svc-sequence'),
    attempt: wholeNumber(headers, 'svc-attempt'),
    ...verification(verdict),
    headers: flatten(headers),
    body: body.subarray(0, bodyBytesKeptMax).toString('utf8'),
    bodyBytes: body.length,
    truncated: body.length > bodyBytesKeptMax,
  }
}
