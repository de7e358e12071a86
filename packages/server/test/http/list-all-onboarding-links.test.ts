// GET /v0/onboarding-links

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertError } from '../caller.ts'
import { codeOf } from '../onboarding-page.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()
after(() => world.stop())
const { call } = world.business

test('200 the links of all end-users of the business, newest first, by state and by the key that created them', async () => {
  const { apiKey: key, user: newUser } = await world.otherBusiness()
  const [one, two] = [await newUser(), await newUser()]
  const create = async (user: string, by: string) =>
    (await call('POST', `/v0/end-users/${user}/onboarding-links`, {}, { key: by })).body.data
  const other = (await call('POST', '/v0/api-keys', {}, { key })).body.data
  const first = await create(one, key)
  const second = await create(two, other.key)
  const third = await create(one, key) // ends the first
  const list = async (query: string) => {
    const answer = await call('GET', `/v0/onboarding-links${query}`, undefined, { key })
    for (const link of [first, second, third]) assert.ok(!answer.text.includes(codeOf(link)))
    return answer.body.data.map(({ id }: { id: string }) => id)
  }
  assert.deepEqual(await list(''), [third.id, second.id, first.id])
  assert.deepEqual(await list('?limit=1'), [third.id])
  assert.deepEqual(await list('?status=open'), [third.id, second.id])
  assert.deepEqual(await list('?status=revoked'), [first.id])
  for (const status of ['completed', 'abandoned', 'expired']) assert.deepEqual(await list(`?status=${status}`), [])
  assert.deepEqual(await list(`?createdBy=${other.id}`), [second.id])
  const [shown] = (await call('GET', `/v0/onboarding-links?createdBy=${other.id}`, undefined, { key })).body.data
  assert.deepEqual([shown.externalUserId, shown.createdBy, shown.status], [two, other.id, 'open'])
  const { apiKey: stranger } = await world.otherBusiness()
  assert.deepEqual((await call('GET', '/v0/onboarding-links', undefined, { key: stranger })).body.data, [])
})

test('400 a state that no link has', async () => {
  assertError(await call('GET', '/v0/onboarding-links?status=lost'), 400, 'invalid_query', { param: 'status' })
})
