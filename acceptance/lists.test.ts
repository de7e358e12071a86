// Contract, chapter 1: lists.

import assert from 'node:assert/strict'
import test from 'node:test'
import { call, dataOf, nextOf, refuse } from './call.ts'
import * as people from './people.ts'

test('a reader who follows Link sees each object once, newest first, whatever is created meanwhile', async () => {
  const since = new Date().toISOString()
  const made: string[] = []
  for (let number = 0; number < 5; number++) made.unshift((await people.createEndUser('page')).externalUserId)
  const seen: people.EndUser[] = []
  let path: string | null = `/v0/end-users?limit=2&createdAfter=${since}`
  while (path !== null) {
    const page = await call('GET', path)
    const endUsers = dataOf<people.EndUser[]>(page)
    assert.ok(endUsers.length <= 2)
    seen.push(...endUsers)
    path = nextOf(page)
    if (seen.length === 2) await people.createEndUser('late')
  }
  const names = seen.map(({ externalUserId }) => externalUserId)
  assert.equal(new Set(names).size, names.length)
  // Other tests create end-users at the same time: the list contains those of this test among others, in order.
  assert.deepEqual(
    names.filter((name) => made.includes(name)),
    made,
  )
  const times = seen.map(({ createdAt }) => createdAt)
  assert.deepEqual(times, times.toSorted().toReversed())
})

test('every list takes limits from 1 to 100, and only cursors that it gave out', async () => {
  for (const list of [
    'end-users',
    'virtual-accounts',
    'deposits',
    'events',
    'webhook-endpoints',
    'deliveries',
    'api-keys',
  ]) {
    const page = await call('GET', `/v0/${list}?limit=100`)
    assert.ok(Array.isArray(dataOf(page)), list)
    for (const limit of ['0', '101', 'x']) await refuse(400, 'invalid_query', 'GET', `/v0/${list}?limit=${limit}`)
    await refuse(400, 'invalid_cursor', 'GET', `/v0/${list}?cursor=bm90IG91cnM`)
  }
})
