// One delivery in an inbox: the values of its headers, its body, and the verdict on its signature.
import type { IncomingHttpHeaders } from 'node:http'
import { judge, type Verdict } from './signature.ts'

export const bodyBytesKeptMax = 64 * 1024

export type Message = {
  /** Counts over all inboxes. It is unique, while `id` is the same for every attempt. */
  number: number
  /** `webhook-id`: the same for every attempt of one delivery. */
  id: string | null
  receivedAt: string
  eventType: string | null
  externalUserId: string | null
  sequence: number | null
  attempt: number | null
  /** `null` when the inbox has no secret to verify with. */
  verified: boolean | null
  verdict: Verdict
  /** An earlier message with this ID got a 2xx response, and its signature was not wrong. */
  duplicate: boolean
  /** The response status. `null` before the response, and if the sender closed the connection. */
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
 * Verifies a delivery again, because its secret may be added after it arrived. A body that was cut or is not text keeps its
 * verdict, because its bytes are no longer known.
 */
export const judgeAgain = (message: Message, keys: readonly Buffer[]): void => {
  const body = Buffer.from(message.body)
  if (message.truncated || body.length !== message.bodyBytes || message.verified === true) return
  const { id, headers } = message
  const [timestamp = null, signature = null] = [headers['webhook-timestamp'], headers['webhook-signature']]
  Object.assign(message, verification(judge({ id, timestamp, signature, body }, keys, Date.parse(message.receivedAt))))
}

type Arrival = { headers: IncomingHttpHeaders; body: Buffer; keys: readonly Buffer[]; nowMs: number }

/** Reads a delivery and verifies its signature. */
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
