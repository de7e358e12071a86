// Ids: their form, and that their order is that of the numbers in them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { deliveryIdOf, idTime, makeEventId, makeId, makeRequestId, timeOfId } from './ids.ts'

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length })

/** Crockford base32 read back, digit by digit. */
function numberIn(text: string): bigint {
  return [...text].reduce((value, digit) => value * 32n + BigInt(alphabet.indexOf(digit)), 0n)
}

test('an id is its prefix and 128 bits in 26 digits, whatever the bytes', () => {
  fc.assert(
    fc.property(bytes(16), (random) => {
      const id = makeId('endUser', random)
      assert.match(id, /^eu_[0-7][0-9a-hjkmnp-tv-z]{25}$/)
      assert.equal(numberIn(id.slice(3)), BigInt(`0x${Buffer.from(random).toString('hex')}`))
    }),
  )
})

test('an event id is the time and 80 bits: events sort by their time', () => {
  const time = fc.integer({ min: 0, max: 2 ** 48 - 1 })
  fc.assert(
    fc.property(time, time, bytes(10), bytes(10), (first, second, one, two) => {
      const id = makeEventId(first, one)
      assert.equal(numberIn(id.slice(4, 14)), BigInt(first))
      assert.equal(numberIn(id.slice(14)), BigInt(`0x${Buffer.from(one).toString('hex')}`))
      assert.equal(id.slice(4, 14), idTime(first))
      for (const made of [id, makeRequestId(first, two)]) assert.equal(timeOfId(made), first)
      if (first < second) assert.ok(id < makeEventId(second, two))
    }),
  )
})

test('a delivery id is its event and the end of its endpoint', () => {
  const event = makeEventId(1_700_000_000_000, Buffer.alloc(10, 7))
  const endpoint = makeId('webhookEndpoint', Buffer.alloc(16, 9))
  assert.equal(deliveryIdOf(event, endpoint), `dlv_${event.slice(4)}${endpoint.slice(-6)}`)
})
