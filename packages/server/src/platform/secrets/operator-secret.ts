// Whether a text is the operator's secret.

import { createHash, timingSafeEqual } from 'node:crypto'

export type SecretCheck = (secret: string) => boolean

/** Makes a check that compares digests, so that neither length nor content of the secret shows in the time that it takes. */
export function operatorCheck(adminSecret: string): SecretCheck {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  const expected = digest(adminSecret)
  return (secret) => timingSafeEqual(digest(secret), expected)
}
