// The rules for URLs from a business: webhook endpoints, and redirect URLs for end-users' browsers. The IP addresses of
// a host name are checked at every connection (platform/guarded-http/guarded-connect.ts).

import { type AddressScope, readAddress } from './network-address.ts'

export const urlCharsMax = 2_048

/** Each text completes "<field> …". None repeats the value. */
const ruleTexts = {
  characters: 'must not contain spaces, backslashes or invisible characters.',
  length: `must have at most ${urlCharsMax} characters.`,
  absolute: 'must be an absolute URL such as https://example.com/path.',
  https: 'must use https.',
  userinfo: 'must not contain a user name or password.',
  fragment: 'must not contain a fragment (#).',
  host: 'must name a valid host.',
  public_host: 'must name a host on the public internet.',
  port: 'must use port 443 or a port from 1024 to 65535.',
} as const

export type UrlRule = keyof typeof ruleTexts

export type UrlProblem = { rule: UrlRule; message: string }

/** `message` is that of the first problem. */
export type ParsedUrl = { ok: true; url: string } | { ok: false; message: string; problems: readonly UrlProblem[] }

/** `allowLoopbackHttp` is true in sandbox mode only: loopback hosts, by http or https, on any port. */
export type UrlOptions = { allowLoopbackHttp: boolean }

/** Checks a webhook URL. `url` is normalized: lower-case ASCII host, no trailing dot, no default port. */
export function parseWebhookUrl(text: string, { allowLoopbackHttp }: UrlOptions): ParsedUrl {
  return parseUrl(text, (url, scope, rules) => {
    if (scope === 'loopback' && allowLoopbackHttp) return
    if (url.protocol !== 'https:') rules.add('https')
    if (scope !== null && scope !== 'public') rules.add('public_host')
    // Low ports belong to other protocols: webhooks must not be able to talk to a customer's mail server.
    if (url.port !== '' && Number(url.port) < 1024) rules.add('port')
  })
}

/**
 * Checks where the end-user's browser goes after the Terms of Service. Causeway never connects to it, so its host may
 * be private.
 */
export function parseRedirectUri(text: string, { allowLoopbackHttp }: UrlOptions): ParsedUrl {
  return parseUrl(text, (url, scope, rules) => {
    if (url.protocol !== 'https:' && !(allowLoopbackHttp && scope === 'loopback')) rules.add('https')
  })
}

/**
 * Checks a URL: absolute, http or https, without user information or fragment, and with a well-formed host.
 * @param judge adds the rules of its kind that the URL breaks; `scope` is null if the host is malformed
 */
function parseUrl(text: string, judge: (url: URL, scope: AddressScope | null, rules: Set<UrlRule>) => void): ParsedUrl {
  if (text.length > urlCharsMax) return refused('length')
  // The URL parser drops tabs and newlines and reads a backslash as a slash: the displayed URL would differ from the
  // used one.
  if (/[\s\\\p{Cc}\p{Cf}\p{Cs}]/u.test(text)) return refused('characters')
  const authority = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]+)/i.exec(text)?.[1]
  if (authority === undefined) return refused('absolute')
  const url = URL.parse(text)
  if (url === null) return refused('host')
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return refused('https')
  const rules = new Set<UrlRule>()
  if (authority.includes('@')) rules.add('userinfo')
  if (text.includes('#')) rules.add('fragment')
  if (url.port === '0') rules.add('port')
  url.hostname = url.hostname.replace(/\.$/, '')
  if (!isWellFormedHost(url.hostname)) rules.add('host')
  judge(url, rules.has('host') ? null : hostScope(url.hostname), rules)
  // Encoding of the path and of international names makes a URL longer than it was sent.
  if (rules.size === 0 && url.href.length > urlCharsMax) rules.add('length')
  const [first, ...others] = rules
  return first === undefined ? { ok: true, url: url.href } : refused(first, ...others)
}

function refused(first: UrlRule, ...others: UrlRule[]): ParsedUrl {
  const problems = [first, ...others].map((rule) => ({ rule, message: ruleTexts[rule] }))
  return { ok: false, message: ruleTexts[first], problems }
}

/** Returns whether a host name is valid: the URL parser also accepts `*` and empty labels. */
export function isWellFormedHost(hostname: string): boolean {
  if (hostname.startsWith('[')) return true
  return (
    hostname.length <= 253 &&
    hostname.split('.').every((label) => /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/.test(label))
  )
}

/**
 * Names that never belong to a public host, whatever a resolver returns: reserved names (RFC 6761, RFC 6762, RFC 8375,
 * ICANN 2024), names that ICANN keeps out of the root because networks use them (2018), and names of clusters.
 */
const privateSuffixes = [
  ...['local', 'localdomain', 'internal', 'home.arpa', 'onion', 'invalid'],
  ...['corp', 'home', 'mail', 'intranet', 'lan', 'private'],
  ...['svc', 'pod', 'cluster', 'consul'],
]

function hostScope(hostname: string): AddressScope {
  const literal = readAddress(hostname.replace(/^\[|\]$/g, ''))
  if (literal !== null) return literal.scope
  if (isLocalhostName(hostname)) return 'loopback'
  const isPrivate = privateSuffixes.some((suffix) => hostname.endsWith(`.${suffix}`))
  return isPrivate || !hostname.includes('.') ? 'special' : 'public'
}

/** `localhost` and the names under it mean this machine and are never looked up in DNS (RFC 6761). */
export function isLocalhostName(hostname: string): boolean {
  return /(^|\.)localhost\.?$/.test(hostname)
}
