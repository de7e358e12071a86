// GET /v0/end-users/{externalUserId}/onboarding-links

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertError } from '../caller.ts'
import { codeOf, openPage } from '../onboarding-page.ts'
import { freshUserId } from '../people.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()
after(() => world.stop())
const { call } = world.business
const pathOf = (user: string) => `/v0/end-users/${user}/onboarding-links`

test('200 the links of this end-user alone, newest first: which was opened, which ended, never a code', async () => {
  const user = await world.business.user()
  await call('POST', pathOf(await world.business.user()), {})
  const first = (await call('POST', pathOf(user), {})).body.data
  await openPage(world, first)
  const second = (await call('POST', pathOf(user), { locale: 'fr' })).body.data
  const answer = await call('GET', pathOf(user))
  const [newer, older] = answer.body.data
  assert.deepEqual([newer.id, newer.status, newer.openedAt, newer.locale], [second.id, 'open', null, 'fr'])
  assert.deepEqual([older.id, older.status], [first.id, 'revoked'])
  assert.ok(Math.abs(Date.parse(older.openedAt) - Date.now()) < 60_000)
  for (const link of [first, second]) assert.ok(!answer.text.includes(codeOf(link)))
  const page = (await call('GET', `${pathOf(user)}?limit=1`)).body.data
  assert.deepEqual(page, [newer])
})

test('404 an absent end-user', async () => {
  assertError(await call('GET', pathOf(freshUserId())), 404, 'holder_not_found', { param: 'externalUserId' })
})
