// Base58 and base32, held against an audited library that only the tests have.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { base32nopad, base58 } from '@scure/base'
import fc from 'fast-check'
import { decodeBase32, decodeBase58 } from './base-encodings.rules.ts'

const plainly = (decode: (text: string) => Uint8Array | null) => (text: string) => {
  const bytes = decode(text)
  return bytes === null ? null : Buffer.from(bytes).toString('hex')
}
const orNull = (decode: (text: string) => Uint8Array) => (text: string) => {
  try {
    return decode(text)
  } catch {
    return null
  }
}

test('what was encoded is decoded, leading zeros as well', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 70 }), fc.nat(5), (bytes, zeros) => {
      const value = Uint8Array.from([...Array<number>(zeros).fill(0), ...bytes])
      const expected = Buffer.from(value).toString('hex')
      assert.equal(plainly(decodeBase58)(base58.encode(value)), expected)
      assert.equal(plainly(decodeBase32)(base32nopad.encode(value)), expected)
    }),
    { numRuns: 2_000 },
  )
})

test('a text is taken or refused as by the library', () => {
  const alphabet = fc.constantFrom(...'123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz0OIl=')
  const text = fc.oneof(fc.string({ unit: alphabet, maxLength: 72 }), fc.string({ maxLength: 20 }))
  const upper = fc.string({ unit: fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZ2345670189='), maxLength: 72 })
  fc.assert(
    fc.property(text, upper, (any, capital) => {
      for (const each of [any, capital]) {
        assert.equal(plainly(decodeBase58)(each), plainly(orNull(base58.decode))(each))
        assert.equal(plainly(decodeBase32)(each), plainly(orNull(base32nopad.decode))(each))
      }
    }),
    { numRuns: 5_000 },
  )
})
