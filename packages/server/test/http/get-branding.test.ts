// GET /v0/branding

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openWorld } from '../world.ts'

const world = await openWorld()
after(() => world.stop())
const { call } = world.business

test('200 before anything is set: the name of the business, and colors that can be read', async () => {
  const { apiKey: key } = await world.otherBusiness()
  const { data } = (await call('GET', '/v0/branding', undefined, { key })).body
  assert.deepEqual([data.name, data.logo, data.embedOrigins], ['Another business', null, []])
  assert.match(data.colors.primary, /^#[0-9a-f]{6}$/)
})

test('200 with the whole name that the operator gave, which may be longer than one that is set here', async () => {
  const operator = { key: world.operator.secret }
  const name = 'n'.repeat(200)
  const { id } = (await world.business.call('POST', '/v0/customers', { name }, operator)).body.data
  const { key } = (await world.business.call('POST', `/v0/customers/${id}/api-keys`, {}, operator)).body.data
  assert.equal((await call('GET', '/v0/branding', undefined, { key })).body.data.name, name)
})
