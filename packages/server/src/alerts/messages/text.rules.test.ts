// The texts of messages, with names that callers choose.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyCharacter } from '../../../test/any-text.ts'
import { alertKinds } from '../kinds.rules.ts'
import { type Content, type Noticed, oneLine, plainFormat, slackFormat, subjectLine, textOf } from './text.rules.ts'

const openedAt = '2026-01-31T12:00:00.000Z'
const noticed = (name: string, kind: Noticed['kind'] = 'api_key.created'): Noticed => ({
  ...{ id: 'alr_1', kind, phase: 'opened', subjectId: 'key_1', openedAt, recoveredAt: null },
  details: { name },
})
const contentOf = (name: string, ...alerts: Noticed[]): Content => ({
  ...{ businessName: name, isTest: false, alerts, total: alerts.length },
})
const anyName = fc.string({ unit: anyCharacter, maxLength: 200 })
const consoleUrl = 'https://causeway.example/console'
const linesOf = (content: Content, format = plainFormat) => textOf(content, format, consoleUrl).split('\n')

test('no name adds a line, a control character or a direction character, in either format', () => {
  const lines = linesOf(contentOf('Acme', noticed('Reports'))).length
  fc.assert(
    fc.property(anyName, anyName, (business, key) => {
      for (const format of [plainFormat, slackFormat]) {
        const all = linesOf(contentOf(business, noticed(key)), format)
        assert.equal(all.length, lines)
        // The zero-width space is ours: it keeps markup from working.
        for (const line of all) assert.doesNotMatch(line.replaceAll('\u200b', ''), /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
      }
    }),
  )
})

test('no name makes a link, a mention or markup', () => {
  fc.assert(
    fc.property(anyName, (name) => {
      const written = slackFormat.name(`${name}<!here> *b* _i_ ~s~ \`c\` <https://evil.example|x> @all ${name}`)
      assert.doesNotMatch(written, /[<>]|[*_~`@](?!\u200b)/)
      assert.doesNotMatch(plainFormat.name(`https://evil.example ${name}`), /:\/\/|@|\.\S(?=[^ ]*”)/)
    }),
  )
})

test('a subject is one line of at most 200 characters, for each kind and any details', () => {
  fc.assert(
    fc.property(fc.constantFrom(...alertKinds), anyName, (kind, host) => {
      const alert = { ...noticed('x', kind), details: { host } }
      const subject = subjectLine(contentOf('Acme', alert, alert, alert))
      assert.match(subject, /^\[Causeway\] .* and 2 more alerts$/)
      assert.ok([...subject].length <= 200)
      assert.equal(oneLine(subject, 200), subject)
    }),
  )
})

test('the text says what happened, since when, what to do, and where to look', () => {
  const host = { ...noticed('x', 'endpoint.failing'), subjectId: 'whe_1', details: { host: 'hooks.example.com' } }
  assert.deepEqual(linesOf(contentOf('Acme', host)), [
    'Business: “Acme”',
    '',
    'Endpoint failing: hooks.example.com (whe_1)',
    `Since ${openedAt}`,
    'Check that your receiver runs and responds with a 2xx status. Causeway keeps the events and retries.',
    'https://causeway.example/console/webhooks/whe_1',
  ])
  const over: Noticed = { ...host, phase: 'recovered', recoveredAt: '2026-01-31T13:00:00.000Z' }
  assert.deepEqual(textOf(contentOf('Acme', over), plainFormat, null).split('\n').slice(2), [
    'Endpoint no longer failing: hooks.example.com (whe_1)',
    `From ${openedAt} to 2026-01-31T13:00:00.000Z`,
  ])
})

test('a reason that is a code is shown in words, and a sentence as it is', () => {
  const reasonOf = (reason: string) => {
    const alert = { ...noticed('x', 'virtual_account.suspended'), details: { reason } }
    return textOf(contentOf('Acme', alert), plainFormat, null).match(/^Reason: (.*)$/m)?.[1]
  }
  assert.equal(reasonOf('deposits_restricted'), 'deposits restricted')
  assert.equal(reasonOf('every attempt failed for 5 days'), 'every attempt failed for 5 days')
})

test('the first ten alerts are shown, and the number of the others', () => {
  const many = Array.from({ length: 30 }, (_, at) => ({ ...noticed(`Key ${at}`), subjectId: `key_${at}` }))
  const text = textOf({ ...contentOf('Acme', ...many), total: 500 }, plainFormat, null)
  assert.equal(text.match(/API key created: /g)?.length, 10)
  assert.match(text, /… and 490 more/)
})
