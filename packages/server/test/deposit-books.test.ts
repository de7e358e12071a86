// Generated deposits over the six currencies, in both forms of receipt, come as signed events in any order and partly twice.
// List, CSV and the sums of each day are exactly what was drawn, or say that an amount is unknown.

import assert from 'node:assert/strict'
import { randomInt, randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import { isNightly } from '../../../scripts/test-needs.ts'
import { until } from './caller.ts'
import { show } from './deposit-books-decimal.ts'
import { type Books, booksOf, type Row, rowsOfCsv } from './deposit-books-reading.ts'
import { days, drawStory, draws, type Expected, type Pair, shownOf } from './deposit-books-story.ts'
import { solanaWallet } from './people.ts'
import { openWorld } from './world.ts'

const depositCount = isNightly ? 1_500 : 200
const seed = Number(process.env['SEED'] ?? randomInt(2 ** 31))
const draw = draws(seed)

const world = await openWorld({ alone: true })
after(() => world.stop())
// A business without an endpoint: nothing is delivered.
const business = await world.otherBusiness()
const { call } = business
const ethereum = { payment_rail: 'ethereum', address: '0x52908400098527886E0F7030069857D2E4169EE7' }
const wallets: Record<string, Record<string, string>> = {
  usdc: solanaWallet,
  usdt: { ...ethereum, currency: 'usdt' },
  eurc: { ...ethereum, currency: 'eurc' },
}

async function openPairs(): Promise<Pair[]> {
  const endorsements = ['base', 'sepa', 'spei', 'pix', 'faster_payments', 'cop']
  const externalUserId = await business.user('submitted', { endorsements })
  await business.reached(externalUserId, 'approved')
  const routes = ['usd usdc', 'usd usdt', 'eur eurc', 'eur usdc', 'mxn usdc', 'brl usdc', 'gbp usdt', 'cop usdc']
  return await Promise.all(
    routes.map(async (route) => {
      const [currency = '', coin = ''] = route.split(' ')
      const body = { externalUserId, source: { currency }, destination: wallets[coin] }
      const answer = await call('POST', '/v0/virtual-accounts', body)
      assert.equal(answer.status, 200, answer.text)
      const account: string = answer.body.data.id
      return { account, ids: await world.providerIdsOf(account), source: currency, coin }
    }),
  )
}

/** A text that starts with `#` is a JSON number. */
function eventOf(step: Record<string, unknown>, toldAt: string): string {
  const event = {
    api_version: 'v0',
    event_id: randomUUID(),
    event_category: 'virtual_account.activity',
    event_type: 'virtual_account.activity.created',
    event_object: step,
    event_created_at: toldAt,
  }
  return JSON.stringify(event).replace(/"#([0-9.]+)"/g, '$1')
}

const width = 16
async function sendAll(bodies: readonly string[]): Promise<void> {
  const left = [...bodies]
  const send = async () => {
    for (let body = left.pop(); body !== undefined; body = left.pop()) {
      const answer = await world.post(body)
      assert.equal(answer.status, 200, answer.text)
    }
  }
  await Promise.all(Array.from({ length: width }, send))
  await until(
    'the application of every event',
    async () => {
      const [work] = await world.rows<{ open: number }>`select count(*)::int as open from event_work`
      return work?.open === 0
    },
    300_000,
  )
}

async function pagesOf(path: string, accept = 'application/json') {
  const pages = []
  for (let next: string | undefined = path; next !== undefined; ) {
    const page = await call('GET', next, undefined, { headers: { accept } })
    assert.equal(page.status, 200, page.text)
    pages.push(page)
    next = /<([^>]+)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1]
    if (next !== undefined) next = new URL(next, world.url).href.slice(world.url.length)
  }
  return pages
}
const listOf = async (path: string): Promise<Row[]> => (await pagesOf(path)).flatMap(({ body }) => body.data)
const csvOf = async (path: string) => (await pagesOf(path, 'text/csv')).flatMap(({ text }) => rowsOfCsv(text))

const cell = (amount: Expected['gross']) => (amount === null ? '' : show(amount.value))

function rowOf(expected: Expected) {
  const { account, status, sourceCurrency, destinationCurrency } = expected
  return { virtualAccountId: account, status, sourceCurrency, destinationCurrency, ...shownOf(expected) }
}

function cellsOf(expected: Expected): Record<string, string> {
  const amounts = {
    grossAmount: expected.gross,
    developerFee: expected.developerFee,
    exchangeFee: expected.exchangeFee,
    subtotalAmount: expected.subtotal,
    destinationExchangeFee: expected.feeAfter,
    gasFee: expected.gas,
    netAmount: expected.net,
    refundedAmount: expected.refunded,
  }
  return {
    ...Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, cell(amount)])),
    status: expected.status,
    sourceCurrency: expected.sourceCurrency,
    destinationCurrency: expected.destinationCurrency,
    exchangeRate: expected.rate === null ? '' : show(expected.rate),
    completedAt: expected.completedAt ?? '',
    refundedAt: expected.refundedAt ?? '',
    senderName: `'=Ada, "Countess" Lovelace`,
  }
}

const only = <T extends object>(row: Record<string, unknown>, like: T) =>
  Object.fromEntries(Object.keys(like).map((name) => [name, row[name]]))

// The nightly run sends about 7,000 events; each is a separate transaction.
const timeout = isNightly ? 1_200_000 : 300_000

test(`${depositCount} deposits are listed, exported and added up exactly (SEED=${seed})`, { timeout }, async () => {
  const pairs = await openPairs()
  const [first, ...others] = pairs
  assert.ok(first)
  const stories = Array.from({ length: depositCount }, () => drawStory(draw, draw.of([first, ...others])))
  const bodies = stories.flatMap(({ steps }) => steps.map((step) => eventOf(step, String(step['created_at']))))
  const repeated = bodies.filter(() => draw.chance(15))
  await sendAll(draw.shuffled([...bodies, ...repeated]))

  const expected = new Map(stories.flatMap((story) => story.expected.map((one) => [one.providerDepositId, one])))
  const listed = await listOf('/v0/deposits?limit=100')
  assert.equal(listed.length, expected.size)
  const timelines = new Map(listed.map((row) => [row['providerDepositId'], row['timeline'] as unknown[]]))
  for (const row of listed) {
    const one = expected.get(String(row['providerDepositId']))
    assert.ok(one)
    const steps = stories.find((story) => story.expected.includes(one))?.steps
    assert.deepEqual(only(row, rowOf(one)), rowOf(one), JSON.stringify(steps))
    assert.equal(timelines.get(one.providerDepositId)?.length, one.steps)
  }
  const exported = await csvOf('/v0/deposits?limit=100')
  assert.equal(exported.length, expected.size)
  for (const row of exported) {
    const one = expected.get(row['providerDepositId'] ?? '')
    assert.ok(one)
    assert.deepEqual(only(row, cellsOf(one)), cellsOf(one))
  }
  const refundDays = ['2026-03-05', '2026-03-06']
  for (const day of [...days, ...refundDays]) await assertDay(day, [...expected.values()])
})

async function assertDay(day: string, all: readonly Expected[]): Promise<void> {
  const completed = all.filter(({ completedAt }) => completedAt?.startsWith(day))
  const books: Books = booksOf(
    completed,
    all.filter(({ refundedAt }) => refundedAt?.startsWith(day)),
  )
  const listed = await listOf(`/v0/reports/deposits?day=${day}&limit=100`)
  assert.deepEqual(
    listed.map((row) => row['completedAt']),
    completed.map(({ completedAt }) => completedAt).sort(),
  )
  const differenceOf = (row: Row) => [row['providerDepositId'], row['difference']] as const
  assert.deepEqual(
    new Map(listed.map(differenceOf)),
    new Map(completed.map(({ providerDepositId: id }) => [id, books.differences.get(id) ?? null])),
  )
  for (const row of await csvOf(`/v0/reports/deposits?day=${day}&limit=100`)) {
    const difference = books.differences.get(row['providerDepositId'] ?? '')
    assert.deepEqual(
      [row['difference'], row['differenceAmount']],
      [difference?.code ?? '', difference?.amount.value ?? ''],
    )
  }
  const { data } = (await call('GET', `/v0/reports/deposits/sums?day=${day}`)).body
  assert.deepEqual(data.paidIn, books.paidIn)
  assert.deepEqual(data.sentOn, books.sentOn)
  assert.equal(data.differenceCount, books.differences.size)
  assert.equal(data.differences.length, Math.min(books.differences.size, 100))
  for (const { depositId: _, providerDepositId, ...difference } of data.differences)
    assert.deepEqual(difference, books.differences.get(providerDepositId))
}
