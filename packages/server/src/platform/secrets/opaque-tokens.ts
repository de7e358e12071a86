// Opaque secrets: a prefix, and 32 random bytes in base64url. Each is stored as a digest.

const prefixes = {
  consoleLink: 'svc_link_',
  consoleSession: 'svc_session_',
  onboardingLink: 'svc_onboarding_link_',
  onboardingSession: 'svc_onboarding_session_',
} as const

export type TokenKind = keyof typeof prefixes

/** The random bytes for `formatToken`. */
export const tokenBytes = 32

/** @param random `tokenBytes` from a cryptographic source */
export function formatToken(kind: TokenKind, random: Buffer): string {
  return `${prefixes[kind]}${random.toString('base64url')}`
}

/** Returns whether a text has the form of a token of this kind. Whether it exists is up to the store. */
export function isToken(kind: TokenKind, text: string): boolean {
  return text.startsWith(prefixes[kind]) && /^[\w-]{43}$/.test(text.slice(prefixes[kind].length))
}

/** Returns the digest to store: the one under the newest deployment secret. */
export function newestDigest([newest]: readonly Buffer[]): Buffer {
  if (!newest) throw new Error('no deployment secret')
  return newest
}
