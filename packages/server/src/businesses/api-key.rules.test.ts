// Proves the key format: every key round-trips, every single slip of the hand is noticed, no digit is favoured.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyCharacter } from '../../test/any-text.ts'
import { apiKeyModes, apiKeyRandomBytes, formatApiKey, lastFour, parseApiKey } from './api-key.rules.ts'

// Bytes from 248 up are skipped by the format; a few of them must not matter.
const randomBytes = fc
  .tuple(
    fc.uint8Array({ minLength: 40, maxLength: 40, max: 247 }),
    fc.uint8Array({ minLength: 24, maxLength: 24, min: 0 }),
  )
  .map(([usable, mixed]) => Uint8Array.from([...mixed, ...usable]))
const apiKey = fc
  .tuple(fc.constantFrom(...apiKeyModes), randomBytes)
  .map(([mode, random]) => formatApiKey(mode, random))

test('a key is its prefix, 32 random characters and 6 of checksum, and parses to its mode', () => {
  fc.assert(
    fc.property(fc.constantFrom(...apiKeyModes), randomBytes, (mode, random) => {
      const key = formatApiKey(mode, random)
      assert.match(key, /^svc_(test|live)_[0-9A-Za-z]{38}$/)
      assert.deepEqual(parseApiKey(key), { mode, key })
    }),
  )
})

test('any single changed character is noticed', () => {
  fc.assert(
    fc.property(apiKey, fc.nat(), anyCharacter, (key, place, other) => {
      const at = place % key.length
      fc.pre(other !== key[at])
      assert.ok('malformed' in parseApiKey(key.slice(0, at) + other + key.slice(at + 1)))
    }),
    { numRuns: 2_000 },
  )
})

test('any change of one base62 character for another is noticed, at every place of a key', () => {
  const key = formatApiKey(
    'live',
    new Uint8Array(apiKeyRandomBytes).map((_, index) => (index * 37) % 248),
  )
  const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
  for (let at = 0; at < key.length; at++) {
    for (const other of base62) {
      if (other !== key[at]) assert.ok('malformed' in parseApiKey(key.slice(0, at) + other + key.slice(at + 1)))
    }
  }
})

test('two neighbouring characters exchanged, one lost or one doubled are noticed', () => {
  fc.assert(
    fc.property(apiKey, fc.nat(), (key, place) => {
      const at = place % (key.length - 1)
      const [first, second] = [key.charAt(at), key.charAt(at + 1)]
      if (first !== second) {
        assert.ok('malformed' in parseApiKey(key.slice(0, at) + second + first + key.slice(at + 2)))
      }
      assert.ok('malformed' in parseApiKey(key.slice(0, at) + key.slice(at + 1)))
      assert.ok('malformed' in parseApiKey(key.slice(0, at) + first + key.slice(at)))
    }),
  )
})

test('the fault names what is wrong: prefix, length, alphabet, checksum', () => {
  const key = formatApiKey('test', new Uint8Array(apiKeyRandomBytes))
  assert.deepEqual(parseApiKey(''), { malformed: 'prefix' })
  assert.deepEqual(parseApiKey(key.replace('svc_test_', 'svc_prod_')), { malformed: 'prefix' })
  assert.deepEqual(parseApiKey(key.replace('svc_', 'SVC_')), { malformed: 'prefix' })
  assert.deepEqual(parseApiKey(`${key}0`), { malformed: 'length' })
  assert.deepEqual(parseApiKey(`${key.slice(0, -1)}-`), { malformed: 'alphabet' })
  assert.deepEqual(parseApiKey(key.replace('svc_test_', 'svc_live_')), { malformed: 'checksum' })
})

test('the format does not change: a key issued once parses for ever', () => {
  const key = 'svc_test_000000000000000000000000000000001riOPW'
  assert.equal(formatApiKey('test', new Uint8Array(apiKeyRandomBytes)), key)
  assert.deepEqual(parseApiKey(key), { mode: 'test', key })
})

test('each base62 digit comes from equally many byte values', () => {
  const counts = new Map<string, number>()
  for (let byte = 0; byte < 256; byte++) {
    const random = new Uint8Array(apiKeyRandomBytes).fill(byte, 0, 1)
    const digit = formatApiKey('test', random).charAt('svc_test_'.length)
    // A skipped byte leaves the next one, 0, in its place: counted once here, and taken off below.
    counts.set(digit, (counts.get(digit) ?? 0) + 1)
  }
  counts.set('0', (counts.get('0') ?? 0) - 8)
  assert.equal(counts.size, 62)
  assert.deepEqual(new Set(counts.values()), new Set([4]))
})

test('too little randomness makes no key', () => {
  assert.throws(() => formatApiKey('test', new Uint8Array(31)), RangeError)
  assert.throws(() => formatApiKey('test', new Uint8Array(apiKeyRandomBytes).fill(255)), RangeError)
})

test('the shown part is the last four characters', () => {
  const key = formatApiKey('live', new Uint8Array(apiKeyRandomBytes))
  assert.equal(lastFour(key), key.slice(-4))
  assert.equal(lastFour(key).length, 4)
})
