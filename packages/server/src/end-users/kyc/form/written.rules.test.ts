// Text that people type: what each reader accepts and changes, and how a mistake is reported.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type FormSchema, judge, object } from './form.rules.ts'
import { birthDate, email, latinText, name, phone, street, subdivision, writtenText } from './written.rules.ts'

const nowMs = Date.UTC(2026, 1, 28, 12)

function read(schema: FormSchema, value: string): string {
  const body = { it: value }
  const [problem, ...others] = judge(object({ it: schema }), body, nowMs)
  assert.deepEqual(others, [])
  return problem === undefined ? body.it : `${problem.code}: ${problem.message}`
}

const parts: Record<string, { schema: FormSchema; read: [written: string, sent: string][] }> = {
  'a date of birth in the past': {
    schema: birthDate(0),
    read: [
      ['2026-02-28', '2026-02-28'],
      ['1900-01-01', '1900-01-01'],
      ['2026-03-01', 'invalid_value: it must be in the past.'],
      ['1899-12-31', 'invalid_value: it must not be before 1900.'],
      ['2025-02-29', 'invalid_format: it must be a real date written yyyy-mm-dd.'],
    ],
  },
  'a date of birth of an adult': {
    schema: birthDate(18),
    read: [
      ['2008-02-28', '2008-02-28'],
      ['2008-03-01', 'invalid_value: it must be at least 18 years ago.'],
      ['1890-01-01', 'invalid_value: it must not be before 1900.'],
      ['2030-01-01', 'invalid_value: it must be in the past.'],
    ],
  },
  'an email address': {
    schema: email,
    read: [
      [' ada@example.com ', 'ada@example.com'],
      ['ada+tag@mail.bücher.example', 'ada+tag@mail.bücher.example'],
      ['ada@example,com', 'invalid_format: it must be an email address: it has a comma where a dot belongs.'],
      ['a b@c.de', 'invalid_format: it must be an email address, such as ada@example.com.'],
      ['ada@example', 'invalid_format: it must be an email address, such as ada@example.com.'],
      ['ada@example..com', 'invalid_format: it must be an email address, such as ada@example.com.'],
      [`a@${'b'.repeat(1_023)}`, 'invalid_length: it must have at most 1024 characters.'],
    ],
  },
  'a phone number': {
    schema: phone,
    read: [
      ['+12223334444', '+12223334444'],
      ['+44 (0)20 7946 0000', '+442079460000'],
      ['0044 20 7946-0000', '+442079460000'],
      ['\u202a+1\u2011222\u2011333\u20114444\u202c', '+12223334444'],
      [
        '020 7946 0000',
        'invalid_format: it must be a phone number in international form, such as +12223334444: it has no country code.',
      ],
      ['+44 12', 'invalid_format: it must be a phone number in international form: it has too few digits.'],
      [
        '+1 222 333 4444 555 666',
        'invalid_format: it must be a phone number in international form: it has too many digits.',
      ],
      ['call me', 'invalid_format: it must be a phone number in international form, such as +12223334444.'],
    ],
  },
  'a name': {
    schema: name(2),
    read: [
      ['O\u2019Brien', "O'Brien"],
      ['Anne\u2011Marie\u00a0 Le\u200b Goff', 'Anne-Marie Le Goff'],
      ['Zoe\u0308', 'Zoë'],
      ['小明', '小明'],
      ['O ', 'invalid_length: it must have at least 2 characters.'],
      ['a\u0007b', 'invalid_format: it must not contain control characters.'],
    ],
  },
  'a name in Latin letters': {
    schema: latinText(256),
    read: [
      ['O\u2019Brien', "O'Brien"],
      ['Žižek', 'invalid_format: it must have letters of ASCII and Latin-1 only.'],
      ['小明', 'invalid_format: it must have letters of ASCII and Latin-1 only.'],
    ],
  },
  'a street': { schema: street, read: [['Ada', 'invalid_length: it must have at least 4 characters.']] },
  'a text': { schema: writtenText(9), read: [['  ', 'invalid_length: it must not be empty.']] },
  'a subdivision, whose country is looked at later': { schema: subdivision, read: [[' Ontario', 'Ontario']] },
}
for (const [what, { schema, read: cases }] of Object.entries(parts))
  test(`${what} is made plain, and a mistake is named with its rule`, () => {
    for (const [written, sent] of cases) assert.equal(read(schema, written), sent, JSON.stringify(written))
  })
