// Converts a receiver's response into bounded text without control characters, and reads the retry headers.

import { isAscii } from 'node:buffer'

const replacement = '\uFFFD'

// Control characters (PostgreSQL stores no NUL), line and paragraph separators, and marks that reorder the text shown.
const unsafeCharacters = /[^\P{Cc}\n\t]|[\u2028\u2029\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu

/** Decodes the first part of a body. @returns at most `bytesMax` bytes in UTF-8 */
export function responseText(body: Uint8Array, bytesMax: number): string {
  const text = decodeStart(body, bytesMax).replaceAll('\r\n', '\n').replace(unsafeCharacters, replacement)
  // A replacement takes three bytes where the original took one.
  return Buffer.byteLength(text) <= bytesMax ? text : decodeStart(Buffer.from(text), bytesMax)
}

/** Decodes as a stream: a character that is cut in two at the end is left out, not replaced. */
function decodeStart(bytes: Uint8Array, bytesMax: number): string {
  const start = bytes.subarray(0, bytesMax)
  // A decoder costs a microsecond.
  return isAscii(start)
    ? Buffer.from(start.buffer, start.byteOffset, start.length).toString('latin1')
    : new TextDecoder().decode(start, { stream: true })
}

const headersMax = 32
const headerCharactersMax = 256
const headersBytesMax = 1_024
// Headers that a server gives to this client only, to be sent back.
const secretHeaders: ReadonlySet<string> = new Set(['set-cookie', 'set-cookie2', 'authentication-info'])

/** Writes response headers as JSON: the first ones that fit into 1 KiB, without cookies. */
export function headersText(headers: Record<string, string | string[] | undefined>): string {
  const kept: [string, string][] = []
  let bytes = 2
  for (const [name, value] of Object.entries(headers).slice(0, headersMax)) {
    if (value === undefined || secretHeaders.has(name.toLowerCase())) continue
    const text = responseText(Buffer.from(String(value)), headerCharactersMax).replace(/[\n\t]/g, ' ')
    const entry: [string, string] = [responseText(Buffer.from(name), headerCharactersMax).toLowerCase(), text]
    bytes += Buffer.byteLength(JSON.stringify(entry))
    if (bytes > headersBytesMax) break
    kept.push(entry)
  }
  return JSON.stringify(Object.fromEntries(kept))
}

const retryAfterMsMax = 24 * 60 * 60 * 1_000

/**
 * Reads a `Retry-After` in seconds or as a date. A date counts from the `Date` of the response, so no clock needs to be right.
 * @returns milliseconds, at most 24 h; null if absent or unreadable
 */
export function retryAfterMs(retryAfter: string | undefined, date: string | undefined): number | null {
  if (retryAfter === undefined) return null
  if (/^\d+$/.test(retryAfter)) return Math.min(Number(retryAfter) * 1_000, retryAfterMsMax)
  const until = parseHttpDate(retryAfter)
  const now = date === undefined ? null : parseHttpDate(date)
  return until === null || now === null ? null : Math.min(Math.max(until - now, 0), retryAfterMsMax)
}

/** IMF-fixdate, the one form senders may use (RFC 9110, 5.6.7). */
function parseHttpDate(text: string): number | null {
  if (!/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text)) return null
  const time = Date.parse(text)
  return Number.isNaN(time) ? null : time
}

/** @returns whether the receiver asks for no further attempt of this delivery, by `svc-retry: stop` */
export function stopsRetries(svcRetry: string | undefined): boolean {
  return svcRetry?.trim().toLowerCase() === 'stop'
}
