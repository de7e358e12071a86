// GET /v0/reports/deposits/sums

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { authenticateBusiness } from '../../src/businesses/api-keys.ts'
import { sumCompletedDeposits } from '../../src/deposits/report.ts'
import type { BusinessDatabase } from '../../src/platform/postgres/database.ts'
import type { Tx } from '../../src/platform/postgres/query.ts'
import { assertError } from '../caller.ts'
import { day, differences, storeDay } from '../completed-deposits.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()
after(() => world.stop())
const { call } = world.business
const path = '/v0/reports/deposits/sums'

const account = (await world.business.account(await world.business.user('approved')))['id'] ?? ''
const ids = await storeDay(world, account)

test('200 the sums of the day by currency, the same as those of its deposits, and what does not add up', async () => {
  const { data } = (await call('GET', `${path}?day=${day}`)).body
  assert.deepEqual(data, {
    day,
    paidIn: [
      {
        currency: 'mxn',
        count: 1,
        grossAmount: '500.00',
        developerFee: '25.00',
        exchangeFee: '0.00',
        subtotalAmount: '475.00',
        difference: '0.00',
        refundedCount: 0,
        refundedAmount: '0.00',
      },
      {
        currency: 'usd',
        count: 5,
        grossAmount: '258.15',
        developerFee: '0.10',
        exchangeFee: '0.00',
        subtotalAmount: '138.00',
        difference: '120.05',
        refundedCount: 0,
        refundedAmount: '0.00',
      },
    ],
    sentOn: [{ currency: 'usdc', count: 6, destinationExchangeFee: '0.00', gasFee: '1.25', netAmount: '271.13' }],
    differenceCount: 3,
    differences: [1, 2, 3].map((nth) => ({
      depositId: ids[nth],
      providerDepositId: ids[nth]?.slice(4),
      ...differences[nth],
    })),
  })
})

test('200 a refund counts on its own day, also of a deposit that was never completed, and changes no other sum', async () => {
  const refundsOf = async (asked: string) =>
    (await call('GET', `${path}?day=${asked}`)).body.data.paidIn.map((sum: Record<string, unknown>) => [
      sum['currency'],
      sum['count'],
      sum['refundedCount'],
      sum['refundedAmount'],
    ])
  assert.deepEqual(await refundsOf('2026-02-12'), [['usd', 0, 1, '7.50']])
  const mine = await world.business.user('approved')
  const { id = '' } = await world.business.account(mine)
  const { refundedAt, refundedAmount } = await world.business.deposit(
    id,
    { amount: '90.10', outcome: 'refunded' },
    'refunded',
  )
  assert.deepEqual(refundedAmount, { value: '90.10', currency: 'usd' })
  const [[, , count, amount]] = await refundsOf(String(refundedAt).slice(0, 10))
  assert.deepEqual([count, amount], [1, '90.10'])
})

test('200 what the emulator completes adds up; the sums of another business are its own', async () => {
  const { apiKey: key } = await world.otherBusiness()
  const { completedAt } = await world.business.deposit(account, { amount: '120.00' }, 'completed')
  const today = String(completedAt).slice(0, 10)
  const sums = (await call('GET', `${path}?day=${today}`)).body.data
  assert.deepEqual([sums.differenceCount, sums.paidIn[0].difference], [0, '0.00'])
  for (const asked of [day, today])
    assert.deepEqual((await call('GET', `${path}?day=${asked}`, undefined, { key })).body.data, {
      day: asked,
      paidIn: [],
      sentOn: [],
      differenceCount: 0,
      differences: [],
    })
})

test('400 no day, or a day that there is not', async () => {
  for (const wrong of [
    '',
    '?day=',
    '?day=2026-02-30',
    '?day=10.02.2026',
    '?day=0000-01-01',
    '?day=9999-12-31',
    '?Day=2026-02-10',
  ])
    assertError(await call('GET', path + wrong), 400, 'invalid_query')
})

test('a day that changes while it is added up: all parts of the answer are of one moment', async () => {
  const deps = world.inside
  let isDue = true
  const emptyTheDay = async <T>(rows: T): Promise<T> => {
    await deps.db.transaction((tx) => tx`update deposits set completed_at = null where virtual_account_id = ${account}`)
    return rows
  }
  // Another transaction commits behind the first statement of the report.
  const raced = (tx: Tx): Tx => {
    const run = (parts: TemplateStringsArray, ...values: []) => {
      const statement = tx(parts, ...values)
      if (!isDue || !parts.join('').includes('grouping sets')) return statement
      isDue = false
      return statement.then(emptyTheDay)
    }
    return Object.assign(run, tx) as unknown as Tx // the statements of the report alone are run on it
  }
  const db: BusinessDatabase = { ...deps.db, transaction: (work) => deps.db.transaction((tx) => work(raced(tx))) }
  const business = await authenticateBusiness(deps, world.business.apiKey)
  const sums = await sumCompletedDeposits({ ...deps, db }, business, day)
  assert.ok(!isDue)
  assert.ok(sums.differenceCount > 0)
  assert.equal(sums.differences.length, sums.differenceCount)
})
