// A key of another account of the provider: all our customers are unknown to it. Nobody is offboarded for that.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { reconcileWorld } from './reconcile-world.ts'
import { customerPath, fault, silenceProvider } from './relay-provider.ts'
import { walkEnded } from './reread-walk.ts'
import { approvedUser, request, until } from './test-world.ts'

const world = await reconcileWorld()
after(() => world.stop())
const people: string[] = []
before(async () => {
  for (let made = 0; made < 4; made++) people.push(await approvedUser(world))
  await silenceProvider(world)
  await walkEnded(world.rows)
})

const endUser = async (id: string) => (await world.call('GET', `/v0/end-users/${id}`)).body.data
const statuses = async () => Promise.all(people.map(async (id) => (await endUser(id)).kycStatus))
const unknown = {
  mode: 'status',
  status: 404,
  body: { code: 'not_found', message: 'Unknown customer id' },
  times: 1_000,
}

async function walkNow(): Promise<void> {
  await world.rows((query) => query`update reread_walk set due_at = now() returning id`)
  world.server.deps.wake('reconcile')
}

test('a walk to which three customers in a row are unknown stops, says so, and offboards nobody', async () => {
  await fault(world, { path: customerPath, method: 'GET', ...unknown })
  const began = new Date()
  await walkNow()
  await until('the log line', () =>
    world.logLines.some((line) => line.includes('three customers in a row are unknown')),
  )
  await until('the walk to stop', async () => {
    const [walk] = await world.rows<{ failures: number }>((query) => query`select failures from reread_walk`)
    return (walk?.failures ?? 0) > 0
  })
  assert.deepEqual(
    await statuses(),
    people.map(() => 'approved'),
  )
  const metrics = (await request('GET', `${world.facts.baseUrl}/metrics`)).text
  assert.match(metrics, /causeway_provider_customers_unknown_total [1-9]/)

  // Asking for the links of one of them changes nothing either.
  const [person = ''] = people
  await world.rows(
    (query) => query`update end_users set kyc_status = 'under_review' where external_user_id = ${person} returning id`,
  )
  assert.equal((await world.call('GET', `/v0/end-users/${person}/kyc-links`)).status, 503)
  assert.equal((await endUser(person)).kycStatus, 'under_review')

  await world.control('DELETE', '/faults')
  await walkNow()
  await walkEnded(world.rows, began)
  assert.deepEqual(
    await statuses(),
    people.map(() => 'approved'),
  )
})

test('a walk that has failed for long does not pass over customers that are unknown for the key', async () => {
  await fault(world, { path: customerPath, method: 'GET', ...unknown })
  await world.rows((query) => query`update reread_walk set failures = 100, due_at = now() returning id`)
  world.server.deps.wake('reconcile')
  await until('the walk to stop', async () => {
    const [walk] = await world.rows<{ failures: number }>((query) => query`select failures from reread_walk`)
    return (walk?.failures ?? 0) > 100
  })
  await world.control('DELETE', '/faults')
})

test('a customer that is unknown among known ones is offboarded', async () => {
  const [person = ''] = people
  const customer = (await endUser(person)).providerCustomerId
  await fault(world, { path: `^/v0/customers/${customer}$`, method: 'GET', ...unknown })
  const began = new Date()
  await walkNow()
  await walkEnded(world.rows, began)
  assert.deepEqual(await statuses(), ['offboarded', 'approved', 'approved', 'approved'])
})
