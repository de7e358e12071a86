// Which outcome a deposit takes (named, or chosen by its cents), how one that waits is moved, and amounts that are none.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Resource } from './answers.ts'
import { deposit, depositAt, openAccount, stepsOf } from './people.ts'
import { type SandboxProcess, startProcess, until } from './sandbox-process.ts'

describe('deposit outcomes', () => {
  let sandbox: SandboxProcess
  let account: Resource
  before(async () => {
    sandbox = await startProcess('--deposit-step-ms', '1')
    account = await openAccount(sandbox)
  })
  after(() => sandbox.stop())

  const settled = () =>
    until('no step is due', async () => (await sandbox.control('GET', '/state')).body.pending_tasks.count === 0)
  const walkOf = async (order: Record<string, unknown>): Promise<string[]> => {
    const id = await deposit(sandbox, account, order)
    await settled()
    return (await stepsOf(sandbox, id)).map(({ type }) => type)
  }
  const paid = ['payment_submitted', 'payment_processed']

  const magic: [amount: string, walk: string[]][] = [
    ['100.41', ['funds_scheduled', 'funds_received', ...paid]],
    ['100.42', ['funds_received', 'in_review']],
    ['100.43', ['funds_received', 'in_review', ...paid]],
    ['100.44', ['funds_received', 'in_review', 'refund_in_flight', 'refund']],
    ['100.45', ['funds_received', 'refund_in_flight', 'refund']],
    ['100.46', ['funds_received', 'refund_in_flight', 'refund_failed']],
    ['0.45', ['microdeposit']],
    ['100.4', ['funds_received', ...paid]],
    ['100.47', ['funds_received', ...paid]],
    ['42', ['funds_received', ...paid]],
  ]
  for (const [amount, walk] of magic) {
    test(`${amount} walks ${walk.join(', ')}`, async () => assert.deepEqual(await walkOf({ amount }), walk))
  }

  test('an outcome that is named counts for more than the cents', async () => {
    assert.deepEqual(await walkOf({ amount: '100.45', outcome: 'completed' }), ['funds_received', ...paid])
  })

  test('a refund can leave out which deposit it belongs to', async () => {
    const id = await deposit(sandbox, account, { amount: '77.00', outcome: 'refunded_unlinked' })
    await settled()
    assert.deepEqual(
      (await stepsOf(sandbox, id)).map(({ type }) => type),
      ['funds_received'],
    )
    const path = `/customers/${account.customer_id}/virtual_accounts/${account.id}/history?limit=100`
    const { body: history } = await sandbox.wire('GET', path)
    const unlinked = history.data.filter((activity) => !Object.hasOwn(activity, 'deposit_id'))
    assert.deepEqual(
      unlinked.map(({ type, amount }) => [type, amount]),
      [
        ['refund', '77.0'],
        ['refund_in_flight', '77.0'],
      ],
    )
    assert.ok(unlinked.every(({ refund }) => refund.code && refund.reason))
  })

  test('a review that would end by itself can be ended otherwise, and ends once', async () => {
    const id = await deposit(sandbox, account, { amount: '100.43', step_ms: 300 })
    await depositAt(sandbox, id, 'in_review')
    assert.equal((await sandbox.control('POST', `/deposits/${id}/advance`, { body: { to: 'refunded' } })).status, 200)
    await settled()
    assert.deepEqual(
      (await stepsOf(sandbox, id)).map(({ type }) => type),
      ['funds_received', 'in_review', 'refund_in_flight', 'refund'],
    )
  })

  test('next takes the next step before its time, one at a time, until there is none', async () => {
    const id = await deposit(sandbox, account, { amount: '100.41', step_ms: 24 * 60 * 60 * 1000 })
    const walk = ['funds_scheduled', 'funds_received', ...paid]
    for (const step of walk.slice(1)) {
      const moved = await sandbox.control('POST', `/deposits/${id}/advance`, { body: { to: 'next' } })
      assert.deepEqual(moved, { status: 200, body: { deposit_id: id } })
      await depositAt(sandbox, id, step)
    }
    const late = await sandbox.control('POST', `/deposits/${id}/advance`, { body: { to: 'next' } })
    assert.deepEqual([late.status, late.body.code], [409, 'nothing_ahead'])
    const wrong = await sandbox.control('POST', `/deposits/${id}/advance`, { body: { to: 'refunded' } })
    assert.deepEqual([wrong.status, wrong.body.code], [409, 'not_in_review'])
    assert.equal((await sandbox.control('POST', `/deposits/${id}/advance`, { body: { to: 'lost' } })).status, 400)
  })

  test('an amount that is none is refused with the rule it breaks', async () => {
    const path = `/virtual_accounts/${account.id}/deposits`
    for (const amount of [
      '0',
      '0.00',
      '-5',
      '1e3',
      '1.234',
      '1,50',
      ' 5',
      '',
      '.5',
      '5.',
      '0x5',
      '9'.repeat(16),
      100,
    ]) {
      const { status, body } = await sandbox.control('POST', path, { body: { amount } })
      assert.deepEqual([status, body.code], [400, 'invalid_parameters'], JSON.stringify(amount))
      assert.match(body.source.key['amount'] ?? '', /above zero with at most 2 decimals/)
    }
    const { body } = await sandbox.control('POST', path, { body: {} })
    assert.equal(body.source.key['amount'], 'is missing')
  })
})
