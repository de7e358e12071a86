// Whether a webhook is authentic, by Standard Webhooks: HMAC-SHA256 over id, time and the bytes as they came.

import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

const TOLERANCE_SECONDS = 300 // an older one may be a replay

export function isAuthentic(headers: IncomingHttpHeaders, body: Buffer, signingSecret: string): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signatures } = headers
  if (typeof signatures !== 'string') return false
  if (!(Math.abs(Date.now() / 1000 - Number(time)) < TOLERANCE_SECONDS)) return false

  const key = Buffer.from(signingSecret.slice('whsec_'.length), 'base64')
  const expected = createHmac('sha256', key).update(`${id}.${time}.`).update(body).digest()
  // Several of them while a secret is being changed: one that fits is enough.
  return signatures.split(' ').some((entry) => {
    const given = Buffer.from(entry.replace(/^v1,/, ''), 'base64')
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
}
