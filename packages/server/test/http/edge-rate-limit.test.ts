// Counting: exact under concurrency, separate by key, and bounded in memory however many addresses call.

import assert from 'node:assert/strict'
import { createSecretKey, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import { addressKeys, rateLimiter } from '../../src/platform/http/limits/rate-limit.ts'

const keyOf = addressKeys(createSecretKey(randomBytes(32)))

test('of many uses at once, exactly the quota is allowed', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 100 }), async (quota, uses) => {
      const limiter = rateLimiter(new RateLimiterMemory({ points: quota, duration: 60 }))
      const verdicts = await Promise.all(Array.from({ length: uses }, () => limiter.take('one')))
      assert.equal(verdicts.filter((verdict) => verdict.allowed).length, Math.min(quota, uses))
      assert.equal((await limiter.take('other')).allowed, true)
    }),
  )
})

test('an address counts the same in each of its spellings, and an IPv6 network of /64 as one', () => {
  assert.equal(keyOf('::ffff:192.0.2.7'), keyOf('192.0.2.7'))
  assert.equal(keyOf('2001:db8::1'), keyOf('2001:0db8:0:0:ffff:ffff:ffff:ffff'))
})

test('other networks, and other processes, count elsewhere', () => {
  const networks = Array.from({ length: 100 }, (_, index) => keyOf(`192.0.2.${index}`))
  // 100 of 65,536 collide once in 13 tries; that a tenth of them does has p < 1e-15.
  assert.ok(new Set(networks).size > 90)
  const elsewhere = addressKeys(createSecretKey(randomBytes(32)))
  assert.ok(networks.some((key, index) => key !== elsewhere(`192.0.2.${index}`)))
})

test('there are no more than 65,536 counters, whatever is taken for an address', () => {
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6(), fc.string()), (address) =>
      assert.match(keyOf(address), /^[0-9a-f]{4}$/),
    ),
  )
})
