// The rules of an address to return to, and how a result is added to it. An address that a browser and a server could read
// differently is refused, not repaired.
import { isLoopbackHostname } from './origins.ts'

export type Redirect = { ok: true; url: URL } | { ok: false; reason: string }

const lengthMax = 2048
const refuse = (reason: string): Redirect => ({ ok: false, reason })

// The characters of RFC 3986, so no space, control character, backslash, quote, angle bracket or non-ASCII letter.
const uriCharacters = /^[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]+$/
const absolute = /^https?:\/\/(?<authority>[^/?#]+)/i

/** Parses a redirect: absolute, https or http on this machine, without userinfo, at most 2,048 characters. */
export const parseRedirect = (raw: unknown): Redirect => {
  if (typeof raw !== 'string') return refuse('The parameter is repeated.')
  if (raw.length > lengthMax) return refuse(`The URL is longer than ${lengthMax} characters.`)
  if (!uriCharacters.test(raw)) return refuse('The URL has characters that must be percent-encoded.')
  const authority = absolute.exec(raw)?.groups?.['authority']
  if (authority === undefined || !URL.canParse(raw)) return refuse('The URL is not an absolute http or https URL.')
  if (authority.includes('@')) return refuse('The URL contains a user name or password.')

  const url = new URL(raw)
  const hostname = authority.replace(/:\d*$/, '').toLowerCase()
  // An address in disguise (0x7f.1, 2130706433, %6cocalhost, a trailing dot) parses to another name than it shows.
  if (hostname !== url.hostname || hostname.endsWith('.')) return refuse('The host is written in an unusual form.')
  if (url.protocol === 'http:' && !isLoopbackHostname(hostname)) {
    return refuse('Plain http is accepted only for localhost. Use https.')
  }
  return { ok: true, url }
}

/** Sets a query parameter and overwrites one that the URL already has. */
export const withParameter = (url: URL, name: string, value: string): string => {
  const target = new URL(url)
  target.searchParams.set(name, value)
  return target.href
}
