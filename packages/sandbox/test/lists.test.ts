// Lists: pages by cursor, newest first, and the reference data.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type SandboxProcess, startProcess } from './sandbox-process.ts'

const total = 23

describe('pages', () => {
  let sandbox: SandboxProcess
  let newestFirst: string[]
  before(async () => {
    sandbox = await startProcess()
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
    assert.equal(usa?.subdivisions.length, 51)
  })

  test('an exchange rate brackets the midmarket rate, and an unknown currency is refused', async () => {
    const { body } = await sandbox.wire('GET', '/exchange_rates?from=eur&to=usd')
    assert.deepEqual([body.midmarket_rate, body.buy_rate, body.sell_rate], ['1.085', '1.090425', '1.079575'])
    assert.equal((await sandbox.wire('GET', '/exchange_rates?from=eur&to=xau')).status, 400)
  })
})
