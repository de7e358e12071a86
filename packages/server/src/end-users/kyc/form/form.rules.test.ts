// The parts of the KYC form: what each accepts, and how a mistake is named.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json } from '../../../platform/values/json.ts'
import {
  country,
  date,
  dateTime,
  type FormSchema,
  integer,
  integerOrWord,
  judge,
  list,
  longText,
  object,
  oneOf,
  requiredWhen,
  timeOrMs,
  wordOf,
} from './form.rules.ts'

const nowMs = Date.UTC(2026, 1, 28, 12)

function problemOf(schema: FormSchema, value: Json): string | null {
  const [problem, ...others] = judge(object({ it: schema }), { it: value }, nowMs)
  assert.deepEqual(others, [])
  assert.ok(problem === undefined || problem.param === 'it')
  return problem === undefined ? null : `${problem.code}: ${problem.message}`
}

const parts: Record<string, { schema: FormSchema; right: Json[]; wrong: [Json, string][] }> = {
  'a date': {
    schema: date,
    right: ['2032-02-29', '0001-01-01'],
    wrong: ['2030-02-29', '2030-02', '+010000-01-01', '2030-01-01T00:00:00.000Z'].map((text) => [
      text,
      'invalid_format: it must be a real date written yyyy-mm-dd.',
    ]),
  },
  'a time': {
    schema: dateTime,
    right: [
      ...['2026-01-01T10:00Z', '2026-01-01T10:00:00Z', '2026-01-01T10:00:00.123456789+01:00'],
      '2026-01-01T10:00-0130',
    ],
    wrong: [
      ...[
        '2026-01-01',
        '2026-01-01T10:00',
        '2026-02-30T10:00Z',
        '2026-01-01T10:00Z ',
        '2026-01-01 2026-01-01T10:00Z',
        '12026-01-01T10:00Z',
      ],
      ...['2026-01-01T10:00.5Z', '2026-01-01T10:00:00.1234567890Z', '2026-01-01T10:00:00.Z', '2026-01-01T10:00+1'],
    ].map((text) => [text, 'invalid_format: it must be a date and time in ISO 8601 with a time zone.']),
  },
  'a time or milliseconds': {
    schema: timeOrMs(5),
    right: [0, 5, '2026-01-01T10:00Z'],
    wrong: [
      [6, 'invalid_value: it must be at most 5.'],
      ['5', 'invalid_format: it must be a date and time in ISO 8601 with a time zone.'],
    ],
  },
  'a whole number': {
    schema: integer(5, 25),
    right: [5, 25],
    wrong: [
      [4, 'invalid_value: it must be at least 5.'],
      [26, 'invalid_value: it must be at most 25.'],
      [5.5, 'invalid_value: it must be a whole number from 5 to 25.'],
      ['5', 'invalid_type: it must be a whole number.'],
      [null, 'invalid_type: it must be a whole number; leave it out when there is none.'],
    ],
  },
  'a whole number or a word': {
    schema: integerOrWord(0, 9, ['few', 'many']),
    right: [9, 'many'],
    wrong: [['none', 'invalid_value: it must be one of: few, many.']],
  },
  'an allowed word': {
    schema: oneOf('Size', 'few many'),
    right: ['few'],
    wrong: [
      ['none', 'invalid_value: it must be one of: few, many.'],
      [5, 'invalid_type: it must be a string.'],
    ],
  },
  'a word of the provider': {
    schema: wordOf(['few']),
    right: ['few', 'next_year_9'],
    wrong: [['Few', 'invalid_format: it must be a word of small letters, digits and _, at most 64 characters.']],
  },
  'a country': {
    schema: country,
    right: ['USA', 'ssd'],
    wrong: ['US', 'USAA', 'XYZ', 'ßd', 'ırl', 'USA '].map((text) => [
      text,
      'invalid_value: it must be a country code of three letters (ISO 3166-1 alpha-3).',
    ]),
  },
  'a text': {
    schema: longText,
    right: ['a\r\n\tb', ' a '],
    wrong: [
      ['  ', 'invalid_length: it must not be empty.'],
      ['a\u0007', 'invalid_format: it must not contain control characters.'],
    ],
  },
}
for (const [name, { schema, right, wrong }] of Object.entries(parts))
  test(`${name}: what is right passes, and what is wrong is named with its rule`, () => {
    for (const value of right) assert.equal(problemOf(schema, value), null, JSON.stringify(value))
    for (const [value, problem] of wrong) assert.equal(problemOf(schema, value), problem, JSON.stringify(value))
  })

test('what another property requires is named behind the problems of what is there', () => {
  const note = requiredWhen('note', 'kind', { const: 'other' }, 'is required for another kind')
  const entries = list(object({ kind: longText, note: longText }, ['kind'], note), 9)
  const body = { entries: [{ kind: 'other' }, { kind: ' ' }, { kind: 'other', note: 5 }, { note: 'a' }] }
  assert.deepEqual(
    judge(object({ entries }), body, nowMs).map(({ code, message }) => `${code}: ${message}`),
    [
      'invalid_length: entries[1].kind must not be empty.',
      'invalid_type: entries[2].note must be a string.',
      'missing_field: entries[3].kind is required.',
      'missing_field: entries[0].note is required for another kind.',
    ],
  )
})

test('an entry is named by its place in the list, also by one of two digits', () => {
  const numbers = Array.from({ length: 12 }, (_, at) => (at === 11 ? 10 : 1))
  assert.deepEqual(
    judge(object({ numbers: list(integer(0, 9), 12) }), { numbers }, nowMs).map(({ param }) => param),
    ['numbers[11]'],
  )
})
