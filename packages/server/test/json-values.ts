// Any JSON, for tests that compare it with what comes back.

import fc from 'fast-check'

/** Keys need no escape: V8 can read an escaped key as one that it has read before (nodejs/node#63785). */
export const jsonValues = (limits: fc.JsonSharedConstraints = {}): fc.Arbitrary<fc.JsonValue> =>
  fc.jsonValue(limits).filter(hasPlainKeys)

function hasPlainKeys(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(([key, member]) => JSON.stringify(key) === `"${key}"` && hasPlainKeys(member))
}
