// GET /v0/alert-channels/:id

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { dataOf } from '../caller.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()
after(() => world.stop())
const { call } = world.business
const { id } = dataOf(
  await call('POST', '/v0/alert-channels', { type: 'slack', url: 'https://hooks.slack.com/services/T0/B0/token' }),
)
const path = `/v0/alert-channels/${id}`

test('200 the channel, as its creation returned it', async () => {
  const shown = dataOf(await call('GET', path))
  assert.equal(shown.id, id)
  assert.equal(shown.urlOrigin, 'https://hooks.slack.com')
  assert.doesNotMatch(JSON.stringify(shown), /token/)
})
