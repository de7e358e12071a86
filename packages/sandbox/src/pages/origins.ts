// The origins that may embed the hosted pages and receive their messages. Only the server decides: the page's script
// asks the server, so the rule is written once.

/** `loopback`: any http or https origin of this machine, on any port. Otherwise exactly these origins. */
export type EmbedOrigins = 'loopback' | readonly string[]

const loopbackIpv4 = /^127(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3}$/

/**
 * Tells whether a hostname from the URL parser is this machine. Names below `.localhost` are not, because some resolvers
 * send them elsewhere.
 */
export const isLoopbackHostname = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || loopbackIpv4.test(hostname)

/**
 * Brings configured origins into the form that browsers compare.
 * @throws Error for a text that is not a plain web origin
 */
export const normaliseEmbedOrigins = (origins: EmbedOrigins): EmbedOrigins => {
  if (origins === 'loopback') return origins
  return origins.map((text) => {
    const url = URL.canParse(text) ? new URL(text) : undefined
    const isPlain = url?.pathname === '/' && url.search === '' && url.hash === '' && url.username === ''
    if (!url || !isPlain || !/^https?:$/.test(url.protocol)) {
      throw new Error(`embed origin "${text}" must look like https://app.example.com`)
    }
    return url.origin
  })
}

/** Returns the value of the Content-Security-Policy directive `frame-ancestors`. */
export const frameAncestors = (origins: EmbedOrigins): string => {
  // CSP has no grammar for IPv6 hosts, so pages on [::1] can be redirected to but cannot embed.
  if (origins === 'loopback') return 'http://localhost:* http://127.0.0.1:*'
  return origins.length === 0 ? "'none'" : origins.join(' ')
}

const isAllowed = (candidate: string, origins: EmbedOrigins): boolean => {
  if (candidate.length > 512 || !URL.canParse(candidate)) return false
  const url = new URL(candidate)
  // A text that is not exactly an origin (a path, other letter case, `null`) is refused, not repaired.
  if (url.origin !== candidate || !/^https?:$/.test(url.protocol)) return false
  return origins === 'loopback' ? isLoopbackHostname(url.hostname) : origins.includes(candidate)
}

/** Returns the first candidate that may receive messages, or `null`; never a wildcard. */
export const chooseTargetOrigin = (candidates: readonly unknown[], origins: EmbedOrigins): string | null => {
  for (const candidate of candidates) {
    if (typeof candidate === 'string' && isAllowed(candidate, origins)) return candidate
  }
  return null
}
