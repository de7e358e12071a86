// Stored responses: bounded, harmless text, and a Retry-After in one of its two forms.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { headersText, responseText, retryAfterMs, stopsRetries } from './response-text.ts'

describe('response text', () => {
  test('plain text in any language is kept as it is', () => {
    for (const text of ['', 'ok', '{"a":1}\n\tb', 'Grüße 漢字 😀'])
      assert.equal(responseText(Buffer.from(text), 100), text)
    assert.equal(responseText(Buffer.from('a\r\nb'), 100), 'a\nb')
  })

  test('a character cut in two by the bound is left out', () => {
    assert.equal(responseText(Buffer.from('aé'), 2), 'a')
    assert.equal(responseText(Buffer.from('a😀'), 4), 'a')
  })

  test('whatever the bytes, the text is within the bound and has nothing a terminal, page or database would act on', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.integer({ min: 0, max: 200 }), (bytes, bytesMax) => {
        const text = responseText(bytes, bytesMax)
        assert.ok(Buffer.byteLength(text) <= bytesMax)
        assert.ok(text.isWellFormed())
        assert.doesNotMatch(text, /[^\P{Cc}\n\t]/u)
      }),
    )
    for (const unsafe of ['\0', '\x1b[2J', '\u202E', '\u2066', '\u2028', '\x9b', '\u200F']) {
      assert.ok(!responseText(Buffer.from(`a${unsafe}b`), 100).includes(unsafe.charAt(0)), JSON.stringify(unsafe))
    }
  })
})

describe('Retry-After', () => {
  const date = 'Sun, 06 Nov 1994 08:49:37 GMT'
  const dayMs = 86_400_000

  test('in seconds becomes milliseconds, at most 24 hours', () => {
    assert.equal(retryAfterMs('0', undefined), 0)
    assert.equal(retryAfterMs('120', undefined), 120_000)
    assert.equal(retryAfterMs('86401', undefined), dayMs)
    assert.equal(retryAfterMs('9'.repeat(400), undefined), dayMs)
  })

  test('as a date counts from the date of the answer, whatever the clocks say', () => {
    assert.equal(retryAfterMs('Sun, 06 Nov 1994 08:50:37 GMT', date), 60_000)
    assert.equal(retryAfterMs('Sun, 06 Nov 1994 08:49:00 GMT', date), 0)
    assert.equal(retryAfterMs('Wed, 06 Nov 2094 08:49:37 GMT', date), dayMs)
  })

  test('absent, unreadable or without a date to count from is null', () => {
    assert.equal(retryAfterMs(undefined, date), null)
    for (const text of [
      '',
      '-1',
      '1.5',
      '1e3',
      '0x10',
      'soon',
      'NaN',
      '1994-11-06T08:50:37Z',
      'Sun Nov  6 08:50:37 1994',
      'Sun, 06 Nov 1994 08:50:37 GMT+5',
    ]) {
      assert.equal(retryAfterMs(text, date), null, text)
    }
    assert.equal(retryAfterMs('Sun, 99 Nov 1994 08:50:37 GMT', date), null)
    assert.equal(retryAfterMs('Sun, 06 Nov 1994 08:50:37 GMT', undefined), null)
    assert.equal(retryAfterMs('Sun, 06 Nov 1994 08:50:37 GMT', 'yesterday'), null)
  })
})

test('svc-retry stops a delivery by one word, in any case', () => {
  for (const value of ['stop', ' Stop ']) assert.equal(stopsRetries(value), true, value)
  for (const value of [undefined, '', 'stop it', 'continue']) assert.equal(stopsRetries(value), false, value)
})

test('headers are kept in lower case and on one line, without cookies, up to 32 of them and 1 KiB', () => {
  const secret = { 'Set-Cookie': 'a=1', 'set-cookie2': 'b', 'Authentication-Info': 'c', absent: undefined }
  assert.deepEqual(JSON.parse(headersText({ ...secret, 'X-One': 'a\tb\nc', list: ['d', 'e'] })), {
    'x-one': 'a b c',
    list: 'd,e',
  })
  const many = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`h${at}`, '1']))
  assert.equal(Object.keys(JSON.parse(headersText(many))).length, 32)
  const long = Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`h${at}`, 'x'.repeat(300)]))
  assert.deepEqual(Object.keys(JSON.parse(headersText(long))), ['h0', 'h1', 'h2'])
})
