// DELETE /v0/customers/{customerId}/api-keys/{id}

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertError, assertSameAnswer } from '../caller.ts'
import { signIn } from '../console-browser.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()
after(() => world.stop())
const { call: operate } = world.operator

test('200 the key, its links and their sessions end at once', async () => {
  const path = `/v0/customers/${(await world.otherBusiness()).id}/api-keys`
  const [ended, kept] = [(await operate('POST', path, {})).body.data, (await operate('POST', path, {})).body.data]
  const session = await signIn(world.url, { apiKey: ended.key })
  const { data } = (await operate('DELETE', `${path}/${ended.id}`)).body
  const { key: _, ...shown } = ended
  assert.deepEqual({ ...data, lastUsedAt: null }, { ...shown, revokedAt: data.revokedAt })
  assert.match(data.revokedAt, /Z$/)
  assertError(await world.business.call('GET', '/v0/whoami', undefined, { key: ended.key }), 401, 'api_key_invalid')
  assertError(await session.ask('GET', '/v0/whoami'), 401, 'console_session_invalid')
  assert.equal((await world.business.call('GET', '/v0/whoami', undefined, { key: kept.key })).status, 200)
})

test('400 an id longer than any id is refused', async () => {
  const path = `/v0/customers/${world.business.id}/api-keys/${'k'.repeat(65)}`
  assertError(await operate('DELETE', path), 400, 'invalid_path', { param: 'id' })
})

test("404 an absent key, one that has ended already, and one under another customer's name read the same", async () => {
  const id = (await world.otherBusiness()).id
  const path = `/v0/customers/${id}/api-keys`
  const key = (await operate('POST', path, {})).body.data
  const absent = await operate('DELETE', `${path}/key_00000000000000000000000000`)
  assertError(absent, 404, 'api_key_not_found')
  assertSameAnswer(await operate('DELETE', `/v0/customers/${world.business.id}/api-keys/${key.id}`), absent)
  assert.equal((await world.business.call('GET', '/v0/whoami', undefined, { key: key.key })).status, 200)
  assert.equal((await operate('DELETE', `${path}/${key.id}`)).status, 200)
  assertSameAnswer(await operate('DELETE', `${path}/${key.id}`), absent)
})
