// updateEndUser: PATCH /v0/end-users/{externalUserId}

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertError, dataOf } from '../caller.ts'
import { userPath } from '../people.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()
after(() => world.stop())
const { call } = world.business

test('200 what is given is replaced, what is not given stays', async () => {
  const user = await world.business.user()
  // Only the single end-user has the origin of the open link to the terms.
  const { tosOrigin, ...before } = dataOf(await call('GET', userPath(user)))
  assert.equal(tosOrigin, null)
  const changed = dataOf(await call('PATCH', userPath(user), { metadata: { plan: 'gold' } }))
  assert.deepEqual({ ...changed, updatedAt: '' }, { ...before, metadata: { plan: 'gold' }, updatedAt: '' })
  const again = dataOf(
    await call('PATCH', userPath(user), { metadata: {}, email: 'new@example.com', type: 'business' }),
  )
  assert.deepEqual(
    { metadata: again.metadata, email: again.email, type: again.type },
    { metadata: {}, email: 'new@example.com', type: 'business' },
  )
  assert.equal(dataOf(await call('PATCH', userPath(user), { email: null })).email, null)
  assert.deepEqual(dataOf(await call('GET', userPath(user))).email, null)
})

test('400 nothing to change, an unknown name, a wrong type', async () => {
  const user = await world.business.user()
  assert.equal((await call('PATCH', userPath(user), {})).status, 400)
  assertError(await call('PATCH', userPath(user), { externalUserID: 'x' }), 400, 'unknown_field', {
    param: 'externalUserID',
  })
  const answer = await call('PATCH', userPath(user), { email: 'nobody', type: 'robot', metadata: { a: 1 } })
  assert.deepEqual(answer.body.error.details.map(({ param }: { param: string }) => param).sort(), [
    'email',
    'metadata.a',
    'type',
  ])
})

test('409 the type of an end-user whom the provider knows', async () => {
  const user = await world.business.user('approved')
  assertError(
    await call('PATCH', userPath(user), { type: 'business', email: 'lost@example.com' }),
    409,
    'end_user_type_fixed',
    { param: 'type' },
  )
  assert.notEqual(dataOf(await call('GET', userPath(user))).email, 'lost@example.com')
  assert.equal((await call('PATCH', userPath(user), { type: 'individual' })).status, 200)
})
