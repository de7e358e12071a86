// GET /v0/deposits

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertError } from '../caller.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()
after(() => world.stop())
const { call } = world.business
const path = '/v0/deposits'

const [ada, ben] = [await world.business.user('approved'), await world.business.user('approved')]
const [first, second] = [
  await world.business.account(ada),
  await world.business.account(ben, { source: { currency: 'eur' } }),
]
const made = [
  await world.business.deposit(first['id'] ?? '', { amount: '10.00' }, 'completed'),
  await world.business.deposit(second['id'] ?? '', { amount: '20.00' }, 'completed'),
  await world.business.deposit(first['id'] ?? '', { amount: '30.00', outcome: 'in_review' }, 'in_review'),
].reverse()
const ids = made.map(({ id }) => id)
const idsOf = (answer: { body: { data: { id: string }[] } }) => answer.body.data.map(({ id }) => id)

test('200 all deposits of the business, newest first, each as it reads by itself', async () => {
  const list = await call('GET', path)
  assert.deepEqual(idsOf(list), ids)
  for (const row of list.body.data) assert.deepEqual((await call('GET', `${path}/${row.id}`)).body, { data: row })
})

test('200 pages follow the Link header to the end', async () => {
  const page = await call('GET', `${path}?limit=2`)
  const link = /^<([^>]+)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1] ?? ''
  const rest = await call('GET', link.slice(new URL(link).origin.length))
  assert.deepEqual([...idsOf(page), ...idsOf(rest)], ids)
  assert.equal(rest.headers.has('link'), false)
})

test('200 filters by end-user, account, status and time', async () => {
  const filtered = async (query: string) => idsOf(await call('GET', `${path}?${query}`))
  assert.deepEqual(await filtered(`externalUserId=${ben}`), [ids[1]])
  assert.deepEqual(await filtered(`providerDepositId=${String(made[1]?.['providerDepositId'])}`), [ids[1]])
  assert.deepEqual(await filtered(`virtualAccountId=${second['id']}`), [ids[1]])
  assert.deepEqual(await filtered(`virtualAccountId=${first['id']}&status=in_review`), [ids[0]])
  assert.deepEqual(await filtered(`virtualAccountId=${second['id']}&externalUserId=${ada}`), [])
  assert.deepEqual(await filtered('virtualAccountId=va_none'), [])
  assert.deepEqual(await filtered('status=in_review'), [ids[0]])
  assert.deepEqual(await filtered('sourceCurrency=eur'), [ids[1]])
  assert.deepEqual(await filtered('sourceCurrency=usd&status=completed'), [ids[2]])
  assert.deepEqual(await filtered(`sourceCurrency=usd&externalUserId=${ben}`), [])
  assert.deepEqual(await filtered(`externalUserId=${ada}&status=completed`), [ids[2]])
  assert.deepEqual(await filtered(`createdBefore=${String(made[1]?.['createdAt'])}`), [ids[2]])
  assert.deepEqual(await filtered(`createdAfter=${String(made[1]?.['createdAt'])}`), [ids[0]])
})

test('200 finds a deposit by each of its ids, references and hashes, in any case, and by nothing else', async () => {
  const found = async (q: string, key = world.business.apiKey) =>
    idsOf(await call('GET', `${path}?q=${encodeURIComponent(q)}`, undefined, { key }))
  const { apiKey: stranger } = await world.otherBusiness()
  for (const deposit of made) {
    const { id, providerDepositId, destinationTxHash, references } = deposit as unknown as Record<string, string> & {
      references: Record<string, string | null>
    }
    const names = [id, providerDepositId, destinationTxHash, ...Object.values(references)].filter(
      (name) => name != null,
    )
    assert.ok(names.length >= 2)
    for (const name of names) {
      assert.deepEqual(await found(name), [id], name)
      assert.deepEqual(await found(name.toUpperCase()), [id], name)
      assert.deepEqual(await found(name.slice(0, -1)), [], name)
      assert.deepEqual(await found(name, stranger), [], name)
    }
  }
  assert.ok(made.some(({ destinationTxHash }) => destinationTxHash !== null))
  assert.deepEqual(idsOf(await call('GET', `${path}?q=${ids[0]}&status=completed`)), [])
})

test('200 another business sees none of them', async () => {
  const { apiKey: key } = await world.otherBusiness()
  assert.deepEqual((await call('GET', path, undefined, { key })).body, { data: [] })
  for (const filter of [`externalUserId=${ada}`, `virtualAccountId=${first['id']}`])
    assert.deepEqual((await call('GET', `${path}?${filter}`, undefined, { key })).body, { data: [] })
})

test('200 the same page as CSV: each deposit in the documented columns, and the next page in the Link header', async () => {
  const asCsv = (query: string, headers = { accept: 'text/csv' }) =>
    world.business.call('GET', `${path}${query}`, undefined, { headers })
  const all = await asCsv('')
  assert.equal(all.headers.get('content-type'), 'text/csv; charset=utf-8; header=present')
  const [names = '', ...lines] = all.text.trimEnd().split('\r\n')
  assert.match(names, /^id,createdAt,completedAt,updatedAt,.*,grossAmount,.*,netAmount,.*,destinationTxHash,/)
  assert.equal(lines.length, made.length)
  const deposits = (await call('GET', path)).body.data
  for (const [at, deposit] of deposits.entries()) {
    const cells = (lines[at] ?? '').split(',').map((cell) => cell.replaceAll('"', ''))
    const row = Object.fromEntries(names.split(',').map((name, nth) => [name, cells[nth]]))
    const flat = { ...deposit, ...deposit.references, refundCode: null, refundReason: null, refundedAt: null }
    for (const [name, cell] of Object.entries(row))
      assert.equal(cell, String(flat[name]?.value ?? flat[name] ?? ''), name)
  }
  const first = await asCsv('?limit=2')
  assert.equal(first.text, `${[names, ...lines.slice(0, 2)].join('\r\n')}\r\n`)
  const link = /^<([^>]+)>; rel="next"$/.exec(first.headers.get('link') ?? '')?.[1] ?? ''
  const rest = await asCsv(new URL(link).search)
  assert.equal(rest.text, `${[names, lines[2]].join('\r\n')}\r\n`)
  assert.equal((await asCsv('?status=failed')).text, `${names}\r\n`)
  assertError(await asCsv('?limit=0'), 400, 'invalid_query', { param: 'limit' })
  const json = await asCsv('', { accept: 'application/json, text/csv;q=0.5' })
  assert.deepEqual(json.body.data, deposits)
})

test('400 a bad limit, status, time, cursor or parameter is refused by name', async () => {
  for (const [query, param] of [
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['status=lost', 'status'],
    ['sourceCurrency=usdc', 'sourceCurrency'],
    ['createdAfter=now', 'createdAfter'],
    ['virtualAccountId=%00', 'virtualAccountId'],
    ['colour=red', 'colour'],
  ]) {
    assertError(await call('GET', `${path}?${query}`), 400, 'invalid_query', { param: param ?? '' })
  }
  assertError(await call('GET', `${path}?cursor=x`), 400, 'invalid_cursor', { param: 'cursor' })
})
