// Tables at a terminal: the facts that a reader looks for, in every width.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { show } from '../src/output/show.ts'

const deposits = ['1000.00', '20.50'].map((value, at) => ({
  id: `dep_453a188cb443e1675eee6c8a7${at}`,
  virtualAccountId: 'va_11f6d6bf0579bcabb37292ae25',
  externalUserId: at === 0 ? 'user-4711' : 'a-very-long-identifier-of-an-end-user',
  providerDepositId: '3bafbf08-882a-42d1-8013-3093a1b8433f',
  status: at === 0 ? 'completed' : 'payout_submitted',
  sourceCurrency: 'usd',
  grossAmount: { value, currency: 'usd' },
  references: { traceNumber: '021000020000001' },
  refundedAmount: null,
  createdAt: '2026-01-31T12:00:00.000Z',
}))

function shown(value: unknown, columns?: number): string[] {
  const lines: string[] = []
  const terminal = { print: (text: string) => lines.push(text), complain: assert.fail, isInteractive: true }
  show({ terminal: { ...terminal, ...(columns !== undefined && { columns }) }, flags: {} }, value)
  return lines.join('\n').split('\n')
}

test('deposits show amount, status, end-user and time; the ID is last and whole, and no line is longer than the terminal', () => {
  for (const columns of [80, 100, 120, 200]) {
    const [head = '', first = '', second = ''] = shown(deposits, columns)
    assert.match(head, /^grossAmount +status +externalU\S* .*createdAt +id$/)
    assert.match(first, /^1000\.00 usd +completed +user-\S+ .*01-31 12:00Z +dep_453a188cb443e1675eee6c8a70$/)
    assert.match(second, /^20\.50 usd +payout\S+ +a-ver\S* .* +dep_453a188cb443e1675eee6c8a71$/)
    for (const line of [head, first, second]) assert.ok(line.length <= columns, `${columns}: ${line}`)
  }
})

test('more fields follow in a wide terminal, other IDs behind them', () => {
  const [head = ''] = shown(deposits, 200)
  assert.match(head, /externalUserId +sourceCurrency +virtualAccountId +.*createdAt +id$/)
  assert.deepEqual(shown(deposits), shown(deposits, 1_000))
})

test('events show type, end-user, time and ID; wide characters and long texts are cut with …', () => {
  const event = { id: 'evt_f20d89481962eb982e8d26b617', position: 28, eventType: 'virtual_account.payment.received' }
  const [head = '', line = ''] = shown(
    [{ ...event, externalUserId: '北京'.repeat(30), createdAt: '2026-01-31T12:00:04Z' }],
    80,
  )
  assert.match(head, /^eventType +externalUser\S* +createdAt +id$/)
  assert.match(line, /^virtual_\S*… +(北京)+.*… +(2026-)?01-31 12:00Z +evt_f20d89481962eb982e8d26b617$/)
})

test('rows without any of these fields show what fits, and one object shows everything as the API does', () => {
  const [head = '', line = ''] = shown([{ summary: 'x'.repeat(100), note: 'y' }], 40)
  assert.match(head, /^summary/)
  assert.ok(line.length <= 40)
  assert.deepEqual(shown({ createdAt: '2026-01-31T12:00:00.000Z', grossAmount: { value: '1.00', currency: 'usd' } }), [
    'createdAt    2026-01-31T12:00:00.000Z',
    'grossAmount  1.00 usd',
  ])
  assert.deepEqual(shown([]), ['none'])
})
