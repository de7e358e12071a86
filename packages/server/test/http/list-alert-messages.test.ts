// GET /v0/alert-messages

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { dataOf, until } from '../caller.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()
after(() => world.stop())
const { call } = world.business

test('200 the log, by channel and state; another business has none', async () => {
  const channel = async () =>
    dataOf(await call('POST', '/v0/alert-channels', { type: 'slack', url: 'http://127.0.0.1:9/' })).id
  const [one, other] = [await channel(), await channel()]
  for (const id of [one, other]) dataOf(await call('POST', `/v0/alert-channels/${id}/test`))
  const log = async (query = '') => dataOf(await call('GET', `/v0/alert-messages?${query}`))
  const tried = ({ lastOutcome }: { lastOutcome: string | null }) =>
    lastOutcome === 'The receiver refused the connection.'
  await until('both attempts', async () => (await log()).filter(tried).length === 2)
  assert.equal((await log(`channelId=${one}`)).length, 1)
  assert.equal((await log(`channelId=${one}&state=pending`)).length, 1)
  assert.deepEqual(await log(`channelId=${one}&state=sent`), [])
  assert.equal((await log('state=pending')).length, 2)
  assert.deepEqual(await log('state=failed'), [])
  const business = await world.otherBusiness()
  assert.deepEqual(dataOf(await business.call('GET', '/v0/alert-messages')), [])
})
