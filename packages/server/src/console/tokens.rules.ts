// The secrets of the console: `svc_link_` or `svc_session_`, and 32 random bytes in base64url. Each is stored as a digest.

const forms = {
  link: /^svc_link_[\w-]{43}$/,
  session: /^svc_session_[\w-]{43}$/,
} as const

export type TokenKind = keyof typeof forms

/** Random bytes that `formatToken` wants. */
export const tokenBytes = 32

/** @param random `tokenBytes` from a cryptographic source */
export function formatToken(kind: TokenKind, random: Buffer): string {
  return `svc_${kind}_${random.toString('base64url')}`
}

/** Says whether a text can be a token of this kind; whether there is one is the store's to say. */
export function isToken(kind: TokenKind, text: string): boolean {
  return forms[kind].test(text)
}
