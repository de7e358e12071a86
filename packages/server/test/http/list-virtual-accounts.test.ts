// GET /v0/virtual-accounts

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { accountRequest } from '../business.ts'
import { assertError } from '../caller.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()
after(() => world.stop())
const { call } = world.business
const path = '/v0/virtual-accounts'

const [ada, ben] = [await world.business.user('approved'), await world.business.user()]
const made: Record<string, string>[] = []
for (const currency of ['usd', 'eur', 'mxn', 'usd'])
  made.unshift(await world.business.account(ada, { source: { currency } }))
await call('POST', `${path}/${made[3]?.['id']}/deactivate`)
const waiting = (await call('POST', path, accountRequest(ben, { onPendingKyc: 'wait' }))).body.data
const ids = [waiting.id, ...made.map((account) => account['id'])]
const idsOf = (answer: { body: { data: { id: string }[] } }) => answer.body.data.map(({ id }) => id)

test('200 all accounts of the business, newest first, each as it reads by itself', async () => {
  const list = await call('GET', path)
  assert.deepEqual(idsOf(list), ids)
  for (const account of list.body.data)
    assert.deepEqual((await call('GET', `${path}/${account.id}`)).body, { data: account })
})

test('200 pages follow the Link header to the end, without a gap or a repeat, and keep the filter', async () => {
  const seen: string[] = []
  let next: string | undefined = `${path}?limit=2&externalUserId=${ada}`
  let pages = 0
  while (next !== undefined) {
    const page = await call('GET', next)
    seen.push(...idsOf(page))
    pages += 1
    const link: string | undefined = /^<([^>]+)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1]
    next = link?.slice(new URL(link).origin.length)
    if (next !== undefined) assert.match(next, new RegExp(`externalUserId=${ada}`))
  }
  assert.deepEqual(seen, ids.slice(1))
  assert.equal(pages, 2)
})

test('200 filters by end-user, status and time, alone and together', async () => {
  const filtered = async (query: string) => idsOf(await call('GET', `${path}?${query}`))
  assert.deepEqual(await filtered(`externalUserId=${ben}`), [waiting.id])
  assert.deepEqual(await filtered('status=pending'), [waiting.id])
  assert.deepEqual(await filtered('status=deactivated'), [ids.at(-1)])
  assert.deepEqual(await filtered(`externalUserId=${ben}&status=active`), [])
  assert.deepEqual(await filtered('externalUserId=nobody'), [])
  assert.deepEqual(await filtered('createdAfter=2999-01-01T00:00:00Z'), [])
  assert.deepEqual(await filtered('createdBefore=2999-01-01T00:00:00Z'), ids)
  assert.deepEqual(await filtered('createdBefore=2020-01-01T00:00:00%2B02:00'), [])
  assert.deepEqual(await filtered(`createdAfter=${made[3]?.['createdAt']}`), ids.slice(0, -1))
})

test('200 filters by what is paid in, alone and with a status', async () => {
  const filtered = async (query: string) => idsOf(await call('GET', `${path}?${query}`))
  const paidIn = (currency: string) =>
    [waiting, ...made].filter((account) => account['sourceCurrency'] === currency).map((account) => account['id'])
  assert.equal(paidIn('eur').length, 1)
  assert.deepEqual(await filtered('sourceCurrency=eur'), paidIn('eur'))
  assert.deepEqual(await filtered('sourceCurrency=usd'), paidIn('usd'))
  assert.deepEqual(await filtered('sourceCurrency=usd&status=deactivated'), [ids.at(-1)])
  assert.deepEqual(await filtered('sourceCurrency=usd&status=pending'), [waiting.id])
  assert.deepEqual(await filtered(`sourceCurrency=mxn&externalUserId=${ada}`), paidIn('mxn'))
  assert.deepEqual(await filtered('sourceCurrency=brl'), [])
})

test('200 filters by a label that an account got when it was opened', async () => {
  const labelled = accountRequest(ben, { onPendingKyc: 'wait', metadata: { invoice: '2026-11', team: 'a' } })
  const { id } = (await call('POST', path, labelled)).body.data
  ids.unshift(id)
  const filtered = async (query: string) => idsOf(await call('GET', `${path}?${query}`))
  assert.deepEqual(await filtered('metadata[invoice]=2026-11'), [id])
  assert.deepEqual(await filtered(`metadata[team]=a&externalUserId=${ada}`), [])
  assert.deepEqual(await filtered('metadata[team]=2026-11'), [])
  const { apiKey: key } = await world.otherBusiness()
  assert.deepEqual((await call('GET', `${path}?metadata[team]=a`, undefined, { key })).body, { data: [] })
})

test('200 another business sees none of them', async () => {
  const { apiKey } = await world.otherBusiness()
  assert.deepEqual((await call('GET', path, undefined, { key: apiKey })).body, { data: [] })
  assert.deepEqual((await call('GET', `${path}?externalUserId=${ada}`, undefined, { key: apiKey })).body, { data: [] })
})

test('400 a limit, a status, a time or a parameter that is none is refused by name', async () => {
  for (const [query, param] of [
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=ten', 'limit'],
    ['limit=1&limit=2', 'limit'],
    ['status=open', 'status'],
    ['sourceCurrency=usdc', 'sourceCurrency'],
    ['destinationChange=none', 'destinationChange'],
    ['createdAfter=yesterday', 'createdAfter'],
    ['createdBefore=2026-01-01', 'createdBefore'],
    ['externalUserId=', 'externalUserId'],
    ['page=2', 'page'],
  ]) {
    assertError(await call('GET', `${path}?${query}`), 400, 'invalid_query', { param: param ?? '' })
  }
})

test('400 a cursor that this list did not give out', async () => {
  for (const cursor of ['x', 'bm90aGluZw', Buffer.from('[2,0,"va_1"]').toString('base64url')])
    assertError(await call('GET', `${path}?cursor=${cursor}`), 400, 'invalid_cursor', { param: 'cursor' })
})
