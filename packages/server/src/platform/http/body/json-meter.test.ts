// The counts taken while a body is read equal the parser's result.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ApiError } from '../../errors.ts'
import { type BodyLimits, kycBody } from '../limits.ts'
import { jsonMeter } from './json-meter.ts'

const plenty: BodyLimits = { bytesMax: 1_000_000, plainBytesMax: 1_000_000, membersMax: 1_000_000 }

/** @returns the code of the refusal, or null */
function refusal(body: Buffer | string, limits: Partial<BodyLimits>, chunkBytes = 65_536): string | null {
  const bytes = Buffer.from(body)
  const measure = jsonMeter({ ...plenty, ...limits })
  try {
    for (let at = 0; at < bytes.length; at += chunkBytes) measure(bytes.subarray(at, at + chunkBytes))
    return null
  } catch (error) {
    if (error instanceof ApiError) return error.code
    throw error
  }
}

function membersOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const members = Object.values(value)
  return members.reduce<number>((sum, member) => sum + membersOf(member), members.length)
}

test('members are counted exactly, whatever is in the texts and wherever the body is cut', () => {
  fc.assert(
    fc.property(
      fc.jsonValue({ maxDepth: 5 }),
      fc.integer({ min: 1, max: 9 }),
      fc.nat(2),
      (value, chunkBytes, indent) => {
        const text = JSON.stringify(value, null, indent)
        const membersMax = membersOf(value)
        assert.equal(refusal(text, { membersMax }, chunkBytes), null)
        if (membersMax > 0) assert.equal(refusal(text, { membersMax: membersMax - 1 }, chunkBytes), 'too_many_members')
      },
    ),
    { numRuns: 300 },
  )
})

test('only the value of a member that is a data: URI may be long', () => {
  const long = 'A'.repeat(1_000)
  for (const [body, isTaken] of [
    [`{"a":"data:${long}"}`, true],
    [`{"a": "DATA:${long}", "b":[{"c" :\n"data:${long}"}]}`, true],
    [`{"a":"data:${'\\/'.repeat(500)}"}`, true],
    [`{"a":"${long}"}`, false],
    [`{"data:${long}":1}`, false],
    [`{"a":1,"data:${long}":1}`, false],
    [`["data:${long}"]`, false],
    [`{"a":"dat:${long}"}`, false],
    [`{"a":"xdata:${long}"}`, false],
    [`{"a":"data:","b":"${long}"}`, false],
    [`{"a":"data:\\"","b":"${long}"}`, false],
    [`{"a":"da","b":"ta:${long}"}`, false],
    [`{"a":1${' '.repeat(1_000)}}`, false],
    ['x'.repeat(1_000), false],
  ] as const)
    for (const chunkBytes of [1, 7, 65_536])
      assert.equal(
        refusal(body, { plainBytesMax: 100 }, chunkBytes),
        isTaken ? null : 'payload_too_large',
        body.slice(0, 40),
      )
})

test('what a KYC submission may be never holds the process for long, whatever it is made of', () => {
  // 22 MiB of small members took 15 seconds to parse.
  const members = `{"first_name":"A",${Array.from({ length: 250_000 }, (_, at) => `"k${at}":1`).join()}}`
  const texts = `{"a":"${'x'.repeat(kycBody.plainBytesMax)}"}`
  assert.equal(refusal(members, kycBody), 'too_many_members')
  assert.equal(refusal(`{"a":${'[],'.repeat(100_000)}`, kycBody), 'too_many_members')
  assert.equal(refusal(texts, kycBody), 'payload_too_large')
  assert.equal(refusal(`{"a":"data:${'A'.repeat(kycBody.bytesMax)}"}`, kycBody), 'payload_too_large')
})
