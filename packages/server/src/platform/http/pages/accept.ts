// Content negotiation: the media type that `Accept` prefers, and whether a response may be compressed.

/** Returns whether the caller prefers `application/problem+json` (RFC 9457): named, and not ranked below plain JSON. */
export function prefersProblem(accept: string | undefined): boolean {
  return isPreferred(accept, 'application/problem+json', ['application/json'])
}

/**
 * Returns whether the caller is a browser, which names HTML. A client that accepts anything, or names JSON first, is a
 * program.
 */
export function prefersHtml(accept: string | undefined): boolean {
  return isPreferred(accept, 'text/html', ['application/json', 'application/problem+json'])
}

/** Returns whether the caller prefers CSV: named, and not ranked below plain JSON. */
export function prefersCsv(accept: string | undefined): boolean {
  return isPreferred(accept, 'text/csv', ['application/json'])
}

/** Returns whether the caller accepts a compressed response (`Accept-Encoding`). */
export function acceptsGzip(acceptEncoding: string | string[] | undefined): boolean {
  return /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(String(acceptEncoding ?? ''))
}

function isPreferred(accept: string | undefined, type: string, others: readonly string[]): boolean {
  if (!accept?.toLowerCase().includes(type)) return false
  const quality = qualityOf(accept, type)
  return quality > 0 && others.every((other) => quality >= qualityOf(accept, other))
}

function qualityOf(accept: string, type: string): number {
  for (const part of accept.split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim())
    if (name.toLowerCase() !== type) continue
    const quality = parameters.find((text) => text.startsWith('q='))
    return quality === undefined ? 1 : Number(quality.slice(2)) || 0
  }
  return 0
}
