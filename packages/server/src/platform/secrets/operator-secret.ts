// Whether a text is the operator's secret.

import { createHash, timingSafeEqual } from 'node:crypto'

export type SecretCheck = (secret: string) => boolean

/** Creates a check that compares digests, so that its duration reveals neither length nor content of the secret. */
export function operatorCheck(adminSecret: string): SecretCheck {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  const expected = digest(adminSecret)
  return (secret) => timingSafeEqual(digest(secret), expected)
}
