// A key of another account of the provider: all our customers are unknown to it. Nobody is offboarded for that.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { request, until } from './caller.ts'
import { customerPath } from './provider.ts'
import { walkEnded, walkNow } from './provider-record.ts'
import { openWorld } from './world.ts'

const world = await openWorld({ alone: true, env: { RECONCILE_PERIOD_SECONDS: '300' } })
after(() => world.stop())
const people: string[] = []
before(async () => {
  for (let made = 0; made < 4; made++) people.push(await world.business.user('approved'))
  await world.provider.fallSilent()
  await walkEnded(world)
})

const endUser = async (id: string) => (await world.business.call('GET', `/v0/end-users/${id}`)).body.data
const statuses = async () => Promise.all(people.map(async (id) => (await endUser(id)).kycStatus))
const unknown = {
  mode: 'status',
  status: 404,
  body: { code: 'not_found', message: 'Unknown customer id' },
  times: 1_000,
}

test('a walk to which three customers in a row are unknown stops, says so, and offboards nobody', async () => {
  await world.provider.fails({ path: customerPath, method: 'GET', ...unknown })
  const began = new Date()
  await walkNow(world)
  await until('the log line', () => world.log.some((line) => line.includes('three consecutive customers not found')))
  await until('the walk to stop', async () => {
    const [walk] = await world.rows<{ failures: number }>`select failures from reread_walk`
    return (walk?.failures ?? 0) > 0
  })
  assert.deepEqual(
    await statuses(),
    people.map(() => 'approved'),
  )
  const metrics = (await request('GET', `${world.url}/metrics`)).text
  assert.match(metrics, /causeway_provider_customers_unknown_total [1-9]/)

  // Asking for the links of one of them changes nothing either.
  const [person = ''] = people
  await world.rows`update end_users set kyc_status = 'under_review' where external_user_id = ${person} returning id`
  assert.equal((await world.business.call('GET', `/v0/end-users/${person}/kyc-links`)).status, 503)
  assert.equal((await endUser(person)).kycStatus, 'under_review')

  await world.provider.recovers()
  await walkNow(world)
  await walkEnded(world, began)
  assert.deepEqual(
    await statuses(),
    people.map(() => 'approved'),
  )
})

test('a walk that has failed for long does not pass over customers that are unknown for the key', async () => {
  await world.provider.fails({ path: customerPath, method: 'GET', ...unknown })
  await world.rows`update reread_walk set failures = 100, due_at = now() returning provider`
  world.inside.wake('reconcile')
  await until('the walk to stop', async () => {
    const [walk] = await world.rows<{ failures: number }>`select failures from reread_walk`
    return (walk?.failures ?? 0) > 100
  })
  await world.provider.recovers()
})

test('a customer that is unknown among known ones is offboarded', async () => {
  const [person = ''] = people
  const customer = (await endUser(person)).providerCustomerId
  await world.provider.fails({ path: `^/v0/customers/${customer}$`, method: 'GET', ...unknown })
  const began = new Date()
  await walkNow(world)
  await walkEnded(world, began)
  assert.deepEqual(await statuses(), ['offboarded', 'approved', 'approved', 'approved'])
})
