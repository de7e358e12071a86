// The headers of one attempt: created when it is sent, and again when it is shown.

export type AttemptHeaders = {
  /** The `webhook-id`. */
  id: string
  eventType: string
  /** Null if the event belongs to no end-user. */
  externalUserId: string | null
  /** Without gaps per endpoint, from 1. */
  sequence: number | bigint | string
  /** From 1. */
  attempt: number
  /** False for a provider event that came without a signature. */
  isVerified: boolean
}

/** The headers that follow neither from a delivery nor from its event, and differ between attempts. */
export type Stamp = { timestamp: string; userAgent: string; signature: string }

/** Writes the headers of one attempt. The values are safe to send whatever the event's names contain. */
export function attemptHeaders(of: AttemptHeaders, { timestamp, userAgent, signature }: Stamp): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': userAgent,
    'webhook-id': of.id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signature,
    'svc-event-type': headerSafe(of.eventType),
    'svc-sequence': String(of.sequence),
    'svc-attempt': String(of.attempt),
    'svc-verified': String(of.isVerified),
    ...(of.externalUserId !== null && { 'svc-external-user-id': headerSafe(of.externalUserId) }),
  }
}

/** Writes a stamp as one line. Timestamp and user agent contain no space; a signature has one between its parts. */
export function stampLine(headers: Record<string, string>): string {
  return `${headers['webhook-timestamp']} ${headers['user-agent']} ${headers['webhook-signature']}`
}

export function stampOf(line: string): Stamp {
  const [timestamp = '', userAgent = '', ...signatures] = line.split(' ')
  return { timestamp, userAgent, signature: signatures.join(' ') }
}

/** Percent-encodes what a header cannot contain, for `decodeURIComponent`. Plain IDs do not change. */
export function headerSafe(text: string): string {
  if (/^[!-$&-~]*$/.test(text)) return text
  return text.toWellFormed().replace(/[^!-$&-~]+/g, encodeURIComponent)
}
