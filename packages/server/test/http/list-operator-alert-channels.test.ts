// GET /v0/operator/alert-channels

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { dataOf } from '../caller.ts'
import { openWorld } from '../world.ts'

const world = await openWorld({ alone: true })
after(() => world.stop())
const { call } = world.operator
const path = '/v0/operator/alert-channels'
const body = { type: 'slack', url: 'https://hooks.slack.com/services/T0/B0/token' }

test('200 newest first, page by page', async () => {
  const older = dataOf(await call('POST', path, body)).id
  const newer = dataOf(await call('POST', path, body)).id
  const idsOf = (channels: { id: string }[]) => channels.map(({ id }) => id)
  assert.deepEqual(idsOf(dataOf(await call('GET', path))).slice(0, 2), [newer, older])
  const first = await call('GET', `${path}?limit=1`)
  assert.deepEqual(idsOf(dataOf(first)), [newer])
  const next = /<[^>]*(\/v0\/[^>]*)>/.exec(first.headers.get('link') ?? '')?.[1] ?? ''
  assert.deepEqual(idsOf(dataOf(await call('GET', next))), [older])
})
