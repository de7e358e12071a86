// Deposits: the steps of every outcome, how an outcome is chosen, how a deposit is advanced, and exact money.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Resource } from './answers.ts'
import { deposit, depositAt, openAccount, stepsOf } from './people.ts'
import { type Sandbox, startSandbox, until } from './sandbox.ts'

describe('deposits', () => {
  let sandbox: Sandbox
  let account: Resource
  before(async () => {
    sandbox = await startSandbox({ depositStepMs: 1 })
    account = await openAccount(sandbox, 'usd', { developer_fee_percent: '1.0' })
  })
  after(() => sandbox.stop())

  const walks: [outcome: string, steps: string[]][] = [
    ['completed', ['funds_received', 'payment_submitted', 'payment_processed']],
    ['scheduled', ['funds_scheduled', 'funds_received', 'payment_submitted', 'payment_processed']],
    ['in_review', ['funds_received', 'in_review']],
    ['refunded', ['funds_received', 'refund_in_flight', 'refund']],
    ['refund_failed', ['funds_received', 'refund_in_flight', 'refund_failed']],
    ['microdeposit', ['microdeposit']],
  ]
  for (const [outcome, walk] of walks) {
    test(`${outcome} walks ${walk.join(', ')}, each step one event`, async () => {
      const id = await deposit(sandbox, account, { amount: '100.00', outcome })
      const steps = await depositAt(sandbox, id, walk.at(-1) ?? '')
      assert.deepEqual(
        steps.map(({ type }) => type),
        walk,
      )
      const { body: events } = await sandbox.control('GET', '/events')
      const ours = events.data.filter((event) => event.event_object.deposit_id === id)
      assert.deepEqual(
        ours.map((event) => event.event_object),
        steps,
      )
      for (const event of ours) {
        assert.equal(event.event_type, 'virtual_account.activity.created')
        assert.equal(event.event_object_status, null)
        assert.deepEqual(event.event_object_changes, {})
      }
      for (const step of steps) {
        assert.equal(step.refund !== undefined, step.type.startsWith('refund'))
        assert.equal(step.receipt !== undefined, step.type === 'payment_processed')
      }
    })
  }

  test('a completed deposit tells what arrived, then what was sent, and gives a receipt', async () => {
    const id = await deposit(sandbox, account, { amount: '2000.00' })
    const [received, submitted, processed] = await depositAt(sandbox, id, 'payment_processed')
    assert.deepEqual([received?.amount, received?.currency, received?.subtotal_amount], ['2000.0', 'usd', '2000.0'])
    assert.deepEqual([submitted?.amount, submitted?.currency], ['1980.0', 'usdc'])
    assert.match(processed?.destination_tx_hash ?? '', /^0x[0-9a-f]{64}$/)
    assert.equal(processed?.receipt.initial_amount, '2000.0')
    assert.equal(processed?.receipt.developer_fee, '20.0')
    assert.equal(processed?.receipt.final_amount, '1980.0')
    assert.equal(processed?.receipt.destination_tx_hash, processed?.destination_tx_hash)
  })

  test('a deposit in review goes on where it is told to, and only from there', async () => {
    const targets: [to: string, end: string][] = [
      ['completed', 'payment_processed'],
      ['refunded', 'refund'],
      ['refund_failed', 'refund_failed'],
    ]
    for (const [to, end] of targets) {
      const id = await deposit(sandbox, account, { amount: '100.00', outcome: 'in_review' })
      await depositAt(sandbox, id, 'in_review')
      assert.equal((await sandbox.control('POST', `/deposits/${id}/advance`, { body: { to } })).status, 200)
      await depositAt(sandbox, id, end)
      assert.equal((await sandbox.control('POST', `/deposits/${id}/advance`, { body: { to } })).status, 409)
    }
    assert.equal((await sandbox.control('POST', '/deposits/none/advance', { body: { to: 'refunded' } })).status, 404)
  })

  const sources: [currency: string, rail: string, fields: Record<string, RegExp>][] = [
    ['usd', 'ach_push', { trace_number: /^\d{15}$/, sender_bank_routing_number: /^\d{9}$/, sender_name: /^Grace$/ }],
    ['usd', 'wire', { imad: /^[a-z0-9]{1,40}$/, originator_name: /^Grace$/, wire_message: /^rent 7$/ }],
    ['usd', 'fednow', { end_to_end_id: /./, sender_name: /^Grace$/ }],
    ['eur', 'sepa', { uetr: /^.{36}$/, iban: /^DE\d{20}$/, iban_last_4: /^\d{4}$/, reference: /^rent 7$/ }],
    ['mxn', 'spei', { tracking_number: /^MBAN01\d{22}$/, clabe: /^\d{18}$/, sender_name: /^Grace$/ }],
    ['brl', 'pix', { tracking_number: /./ }],
    ['gbp', 'faster_payments', { tracking_number: /./ }],
    ['cop', 'bre_b', { tracking_number: /./ }],
  ]
  for (const [currency, rail, fields] of sources) {
    test(`a deposit by ${rail} carries the references of that rail`, async () => {
      const holder = await openAccount(sandbox, currency)
      const order = { amount: '9000.00', payment_rail: rail, sender_name: 'Grace', reference: 'rent 7' }
      const [received] = await stepsOf(sandbox, await deposit(sandbox, holder, order))
      assert.equal(received?.source['payment_rail'], rail)
      for (const [field, form] of Object.entries(fields)) assert.match(received?.source[field] ?? '', form, field)
    })
  }

  const minimums: [currency: string, below: string, least: string][] = [
    ['usd', '0.99', '1.00'],
    ['eur', '0.99', '1.00'],
    ['gbp', '2.99', '3.00'],
    ['mxn', '49.99', '50.00'],
    ['brl', '9.99', '10.00'],
    ['cop', '99.99', '100.00'],
  ]
  for (const [currency, below, least] of minimums) {
    test(`${below} ${currency} is a microdeposit, ${least} ${currency} is not`, async () => {
      const holder = await openAccount(sandbox, currency)
      const [micro] = await stepsOf(sandbox, await deposit(sandbox, holder, { amount: below }))
      const [received] = await stepsOf(sandbox, await deposit(sandbox, holder, { amount: least }))
      assert.deepEqual([micro?.type, received?.type], ['microdeposit', 'funds_received'])
    })
  }

  test('an order that makes no sense is refused and makes no deposit', async () => {
    const { body: before } = await sandbox.control('GET', '/state')
    const orders = [
      {},
      { amount: 100 },
      { amount: '0' },
      { amount: '-5' },
      { amount: '1e3' },
      { amount: '5', outcome: 'lost' },
      { amount: '5', payment_rail: 'sepa' },
      { amount: '5', step_ms: -1 },
    ]
    for (const body of orders) {
      const refused = await sandbox.control('POST', `/virtual_accounts/${account.id}/deposits`, { body })
      assert.equal(refused.status, 400, JSON.stringify(body))
      assert.ok(refused.body.code && refused.body.message)
    }
    assert.equal(
      (await sandbox.control('POST', '/virtual_accounts/none/deposits', { body: { amount: '5' } })).status,
      404,
    )
    assert.equal((await sandbox.control('GET', '/state')).body.deposits.count, before.deposits.count)
  })

  test('step_ms spaces the steps of one deposit', async () => {
    const id = await deposit(sandbox, account, { amount: '5.00', step_ms: 150 })
    assert.deepEqual(
      (await stepsOf(sandbox, id)).map(({ type }) => type),
      ['funds_received'],
    )
    const steps = await depositAt(sandbox, id, 'payment_processed')
    const [first = 0, second = 0, third = 0] = steps.map(({ created_at }) => Date.parse(created_at))
    assert.ok(second - first >= 150 && third - second >= 150, `${first} ${second} ${third}`)
  })

  test('a change of the account does not redirect a deposit that is under way', async () => {
    const holder = await openAccount(sandbox)
    const id = await deposit(sandbox, holder, { amount: '5.00', step_ms: 200 })
    const body = { destination: { payment_rail: 'solana', address: 'elsewhere' } }
    await sandbox.wire('PUT', `/customers/${holder.customer_id}/virtual_accounts/${holder.id}`, { body })
    const steps = await until('it is processed', async () => {
      const found = await stepsOf(sandbox, id)
      return found.length === 3 && found
    })
    assert.match(steps[2]?.destination_tx_hash ?? '', /^0x/)
  })
})

describe('deposit outcomes', () => {
  let sandbox: Sandbox
  let account: Resource
  before(async () => {
    sandbox = await startSandbox({ depositStepMs: 1 })
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
