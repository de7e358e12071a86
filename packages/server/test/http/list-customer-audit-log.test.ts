// GET /v0/customers/{customerId}/audit-log

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertError } from '../caller.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()
after(() => world.stop())
const { call } = world.business
const { call: operate } = world.operator
const pathOf = ({ id }: { id: string }) => `/v0/customers/${id}/audit-log`

/** @returns a business whose key made another key */
async function businessThatActed() {
  const business = await world.otherBusiness()
  const { apiKey: key } = business
  const { apiKeyId } = (await call('GET', '/v0/whoami', undefined, { key })).body.data
  const made = await call('POST', '/v0/api-keys', { scopes: ['events:read'] }, { key })
  return { ...business, apiKeyId, madeId: made.body.data.id }
}

test('200 each business’s own entries, as the business reads them, with the same filters', async () => {
  const [one, other] = [await businessThatActed(), await businessThatActed()]
  const filters = ['', 'action=api_key.created', `actor=${one.apiKeyId}`, 'createdBefore=2020-01-01T00:00:00Z']
  for (const filter of filters) {
    const own = (await call('GET', `/v0/audit-log?${filter}`, undefined, { key: one.apiKey })).body
    assert.deepEqual((await operate('GET', `${pathOf(one)}?${filter}`)).body, own, filter)
  }
  const { data } = (await operate('GET', pathOf(other))).body
  assert.deepEqual(
    data.map(({ action, actor }: { action: string; actor: string }) => [action, actor]),
    [
      ['api_key.created', other.apiKeyId],
      ['api_key.created', 'operator'],
      ['customer.created', 'operator'],
    ],
  )
  assert.equal(data[0].subjectId, other.madeId)
  assert.deepEqual((await operate('GET', `${pathOf(other)}?actor=${one.apiKeyId}`)).body, { data: [] })
})

test('200 pages follow the Link header to the end', async () => {
  const business = await businessThatActed()
  const numbers: number[] = []
  for (let next: string | null = `${pathOf(business)}?limit=1`; next !== null; ) {
    const page: Awaited<ReturnType<typeof operate>> = await operate('GET', next)
    numbers.push(...page.body.data.map(({ number }: { number: number }) => number))
    const link = /<([^>]+)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1]
    next = link === undefined ? null : link.replace(world.url, '')
  }
  assert.deepEqual(numbers, [3, 2, 1])
})

test('401 the key of a business, also of the one that is named', async () => {
  const { apiKey: key } = world.business
  assertError(await operate('GET', pathOf(world.business), undefined, { key }), 401, 'wrong_auth_scheme')
  assertError(await operate('GET', pathOf(await world.otherBusiness()), undefined, { key }), 401, 'wrong_auth_scheme')
})

test('400 an unknown action, a bad limit or a cursor of another list is refused by name', async () => {
  const path = pathOf(world.business)
  for (const query of ['action=api_key.eaten', 'limit=0', 'actor=', 'who=me'])
    assertError(await operate('GET', `${path}?${query}`), 400, 'invalid_query', { param: query.split('=')[0] ?? '' })
  const cursor = Buffer.from(JSON.stringify([1, Date.now(), 'key_1'])).toString('base64url')
  assertError(await operate('GET', `${path}?cursor=${cursor}`), 400, 'invalid_cursor', { param: 'cursor' })
})

test('404 a business that does not exist', async () => {
  assertError(await operate('GET', '/v0/customers/biz_none/audit-log'), 404, 'customer_not_found')
})
