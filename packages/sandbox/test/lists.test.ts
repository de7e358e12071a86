// Lists: pages by cursor, newest first, the reference data, and the history across all customers.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Body } from './answers.ts'
import { deposit, depositAt, openAccount } from './people.ts'
import { type Sandbox, startSandbox } from './sandbox.ts'

const total = 23

describe('pages', () => {
  let sandbox: Sandbox
  let newestFirst: string[]
  before(async () => {
    sandbox = await startSandbox()
    for (let index = 0; index < total; index += 1) {
      await sandbox.wire('POST', '/customers', { body: { type: 'individual', client_reference_id: `r${index}` } })
    }
    newestFirst = (await sandbox.control('GET', '/state')).body.customers.ids.reverse()
  })
  after(() => sandbox.stop())

  const list = async (query: string) => {
    const { status, body } = await sandbox.wire('GET', `/customers${query}`)
    assert.equal(status, 200)
    assert.equal(body.count, body.data.length)
    return body.data.map(({ id }) => id)
  }

  test('ten at a time unless asked otherwise, newest first', async () => {
    assert.deepEqual(await list(''), newestFirst.slice(0, 10))
    assert.deepEqual(await list('?limit=100'), newestFirst)
    assert.deepEqual(await list('?limit=1'), newestFirst.slice(0, 1))
  })

  test('starting_after walks to the oldest and ending_before walks back, over the same pages', async () => {
    const forward: string[] = []
    for (let cursor = ''; forward.length < total; cursor = `&starting_after=${forward.at(-1)}`) {
      forward.push(...(await list(`?limit=7${cursor}`)))
    }
    assert.deepEqual(forward, newestFirst)
    assert.deepEqual(await list(`?starting_after=${newestFirst.at(-1)}`), [])
    assert.deepEqual(await list(`?limit=7&ending_before=${newestFirst[14]}`), newestFirst.slice(7, 14))
    assert.deepEqual(await list(`?ending_before=${newestFirst[0]}`), [])
  })

  test('a page in the middle stays put while new objects come', async () => {
    const query = `?limit=5&starting_after=${newestFirst[4]}`
    const before = await list(query)
    const { body } = await sandbox.wire('POST', '/customers', { body: { type: 'individual' } })
    newestFirst.unshift(body.id)
    assert.deepEqual(await list(query), before)
  })

  for (const query of [
    'limit=0',
    'limit=101',
    'limit=ten',
    'limit=1&limit=2',
    'starting_after=nobody',
    'ending_before=nobody',
  ]) {
    test(`${query} is refused by the name of the parameter`, async () => {
      const { status, body } = await sandbox.wire('GET', `/customers?${query}`)
      assert.deepEqual([status, body.code, body.source.location], [400, 'invalid_parameters', 'query'])
      assert.deepEqual(Object.keys(body.source.key), [query.split('=')[0]])
    })
  }

  test('the two cursors exclude each other', async () => {
    const [a, b] = newestFirst
    const { status } = await sandbox.wire('GET', `/customers?starting_after=${a}&ending_before=${b}`)
    assert.equal(status, 400)
  })

  test('countries have a code, subdivisions that fit an address, and a postal format where there are codes', async () => {
    const { body } = await sandbox.wire('GET', '/lists/countries')
    const countries = body.data as unknown as {
      alpha3: string
      postal_code_format?: string
      subdivisions: { code: string }[]
    }[]
    assert.ok(countries.length >= 40)
    assert.equal(new Set(countries.map(({ alpha3 }) => alpha3)).size, countries.length)
    for (const { alpha3, postal_code_format: format, subdivisions } of countries) {
      assert.match(alpha3, /^[A-Z]{3}$/)
      for (const { code } of subdivisions) assert.match(code, /^[A-Z0-9]{2,3}$/)
      if (format !== undefined) assert.doesNotThrow(() => new RegExp(format.replace('\\A', '^').replace('\\z', '$')))
    }
    const usa = countries.find(({ alpha3 }) => alpha3 === 'USA')
    // 50 states, the District of Columbia, and the five territories that ISO 3166-2 lists too.
    assert.equal(usa?.subdivisions.length, 56)
  })

  test('an exchange rate brackets the midmarket rate, and an unknown currency is refused', async () => {
    const { body } = await sandbox.wire('GET', '/exchange_rates?from=eur&to=usd')
    assert.deepEqual([body.midmarket_rate, body.buy_rate, body.sell_rate], ['1.085', '1.090425', '1.079575'])
    assert.equal((await sandbox.wire('GET', '/exchange_rates?from=eur&to=xau')).status, 400)
  })
})

describe('the history across all customers', () => {
  let sandbox: Sandbox
  const depositIds: string[] = []
  before(async () => {
    sandbox = await startSandbox({ kycDecisionMs: 1, depositStepMs: 0 })
    for (const currency of ['usd', 'eur', 'mxn']) {
      const account = await openAccount(sandbox, currency)
      const id = await deposit(sandbox, account, { amount: '900.00' })
      await depositAt(sandbox, id, 'payment_processed')
      depositIds.push(id)
      await sandbox.control('POST', '/clock', { body: { advance_ms: 60_000 } })
    }
  })
  after(() => sandbox.stop())

  const history = async (query = '') => (await sandbox.wire('GET', `/virtual_accounts/history?${query}`)).body
  const typesOf = ({ data }: Body) => data.map(({ type }) => type)
  const idsOf = ({ data }: Body) => data.map(({ id }) => id)

  test('holds the activities of every customer, newest first', async () => {
    const all = await history('limit=100')
    assert.equal(all.count, 9)
    assert.equal(new Set(all.data.map(({ customer_id }) => customer_id)).size, 3)
    const times = all.data.map(({ created_at }) => created_at)
    assert.deepEqual(times, times.toSorted().reverse())
    assert.equal(typesOf(all)[0], 'payment_processed')
  })

  test('is walked page by page to its end and back', async () => {
    const all = idsOf(await history('limit=100'))
    const walked: string[] = []
    for (let page = await history('limit=2'); page.count > 0; ) {
      walked.push(...idsOf(page))
      page = await history(`limit=2&starting_after=${walked.at(-1)}`)
    }
    assert.deepEqual(walked, all)
    assert.deepEqual(idsOf(await history(`limit=2&ending_before=${all[4]}`)), all.slice(2, 4))
    assert.equal((await history('starting_after=nowhere')).code, 'invalid_parameters')
    assert.equal((await history(`starting_after=${all[0]}&ending_before=${all[1]}`)).code, 'invalid_parameters')
  })

  test('is filtered by deposit, deposits, transaction, type and time', async () => {
    const [first, second] = depositIds
    const types = ['payment_processed', 'payment_submitted', 'funds_received']
    assert.deepEqual(typesOf(await history(`deposit_id=${first}`)), types)
    assert.equal((await history(`deposit_ids[]=${first}&deposit_ids[]=${second}`)).count, 6)
    assert.equal((await history(`deposit_id=${first}&deposit_ids[]=${second}`)).code, 'invalid_parameters')
    assert.deepEqual(typesOf(await history('event_type=funds_received')), [
      'funds_received',
      'funds_received',
      'funds_received',
    ])
    const [processed] = (await history(`deposit_id=${second}`)).data
    assert.deepEqual(typesOf(await history(`tx_hash=${processed?.destination_tx_hash}`)), types.slice(0, 2))
    const at = Date.parse(processed?.created_at ?? '')
    const later = await history(`limit=100&updated_after_ms=${at + 30_000}`)
    assert.deepEqual(new Set(later.data.map(({ deposit_id }) => deposit_id)), new Set([depositIds[2]]))
    const earlier = await history(`limit=100&updated_before_ms=${at - 30_000}`)
    assert.deepEqual(new Set(earlier.data.map(({ deposit_id }) => deposit_id)), new Set([first]))
  })

  test('the history of one account knows no filter by time, as the document has none there', async () => {
    const [newest] = (await history('limit=1')).data
    const path = `/customers/${newest?.customer_id}/virtual_accounts/${newest?.virtual_account_id}/history`
    const { body } = await sandbox.wire('GET', `${path}?updated_before_ms=0`)
    assert.equal(body.count, 3)
  })
})
