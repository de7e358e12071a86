// GET /v0/staff

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { staffOf } from '../staff.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()
after(() => world.stop())
const { id: businessId, call } = world.business

test('200 the staff of the business, newest first, each once, page by page', async () => {
  const other = await world.otherBusiness()
  const [first, second] = [await staffOf(world, { businessId }), await staffOf(world, { businessId })]
  await staffOf(world, { businessId, subject: first.subject })
  await staffOf(world, { businessId: other.id })
  const { data } = (await call('GET', '/v0/staff')).body
  const ids = data.map(({ id }: { id: string }) => id)
  assert.deepEqual(ids, [second.id, first.id])
  const { createdAt, lastSeenAt, ...rest } = data[1]
  for (const time of [createdAt, lastSeenAt]) assert.ok(Math.abs(Date.parse(time) - Date.now()) < 60_000)
  const { id, subject, email } = first
  const shown = {
    id,
    subject,
    email,
    issuer: 'https://login.example.com',
    name: 'Ada Lovelace',
    roles: ['admin'],
    sessions: 2,
  }
  assert.deepEqual(rest, shown)
  const page = await call('GET', '/v0/staff?limit=1')
  const next = new URL(/^<([^>]+)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1] ?? '')
  const rest2 = await call('GET', `/v0/staff?cursor=${next.searchParams.get('cursor')}`)
  assert.deepEqual([page.body.data[0].id, rest2.body.data[0].id], ids)
})
