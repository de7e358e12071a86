// getEndUser: GET /v0/end-users/:externalUserId.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertError, assertSameAnswer, dataOf } from '../caller.ts'
import { endUserMembers, freshEndUser, freshUserId, userPath } from '../people.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()
after(() => world.stop())

const read = (externalUserId: string, key?: string) =>
  world.business.call('GET', userPath(externalUserId), undefined, key === undefined ? {} : { key })

test('200 the end-user reads as it was made', async () => {
  const externalUserId = await world.business.user()
  const user = dataOf(await read(externalUserId))
  const { id, createdAt, updatedAt, ...rest } = user
  assert.deepEqual(Object.keys(user), [...endUserMembers, 'tosOrigin'])
  assert.match(id, /^eu_[0-9a-z]{26}$/)
  assert.equal(updatedAt, createdAt)
  assert.deepEqual(rest, {
    ...freshEndUser({ externalUserId, email: `${externalUserId}@example.com` }),
    tosOrigin: null,
  })
})

test('200 rails shows every currency in which an account can be asked for', async () => {
  const { rails } = dataOf(await read(await world.business.user()))
  const { data } = (await world.business.call('GET', '/v0/capabilities')).body
  const currencies = data.source.map(({ currency }: { currency: string }) => currency)
  assert.deepEqual(Object.keys(rails).sort(), currencies.sort())
})

test('200 what to do next carries the open Terms-of-Service link', async () => {
  const externalUserId = await world.business.user()
  const link = dataOf(await world.business.call('POST', userPath(externalUserId, '/tos-link')))
  assert.deepEqual(dataOf(await read(externalUserId)).nextAction, { kind: 'accept_tos', url: link.tosLink })
})

test('404 an end-user that does not exist, with the remedy', async () => {
  const { message, resolution } = assertError(await read(freshUserId()), 404, 'holder_not_found', {
    param: 'externalUserId',
  })
  assert.equal(message, 'There is no end-user with this `externalUserId`.')
  assert.match(resolution, /POST \/v0\/end-users/)
})

test('404 another business is answered as if the end-user did not exist, byte for byte', async () => {
  const externalUserId = await world.business.user()
  const { apiKey } = await world.otherBusiness()
  const foreign = await read(externalUserId, apiKey)
  assertError(foreign, 404, 'holder_not_found', { param: 'externalUserId' })
  assertSameAnswer(foreign, await read(freshUserId(), apiKey))
})

test('404 an end-user is not found by our own id for it', async () => {
  const { id } = dataOf(await read(await world.business.user()))
  assertError(await read(id), 404, 'holder_not_found', { param: 'externalUserId' })
})

test('400 an identifier in the path that no end-user can have', async () => {
  for (const externalUserId of ['x'.repeat(129), 'canary\u0000', 'canary\n', 'canary\u0085']) {
    assertError(await read(externalUserId), 400, 'invalid_path', {
      param: 'externalUserId',
      silentOn: ['canary', 'xxx'],
    })
  }
})

test('400 a path that is not well percent-encoded, or beyond any length', async () => {
  for (const segment of ['%ED%A0%80', '%E0%A4%A', '%', 'x'.repeat(4_000)]) {
    assertError(await world.business.call('GET', `/v0/end-users/${segment}`), 400, 'invalid_path', { param: null })
  }
})
