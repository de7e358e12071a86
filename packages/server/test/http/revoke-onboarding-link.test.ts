// DELETE /v0/onboarding-links/{id}

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertError, assertSameAnswer } from '../caller.ts'
import { askForPage, codeOf, openPage } from '../onboarding-page.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()
after(() => world.stop())
const { call } = world.business
const newLink = async (user: string) => (await call('POST', `/v0/end-users/${user}/onboarding-links`, {})).body.data
const revoke = (id: string, options = {}) => call('DELETE', `/v0/onboarding-links/${id}`, undefined, options)

test('200 a link that is revoked opens nothing, and the page that it has opened ends', async () => {
  const user = await world.business.user()
  const link = await newLink(user)
  const page = await openPage(world, link)
  const { data } = (await revoke(link.id)).body
  assert.deepEqual([data.id, data.status], [link.id, 'revoked'])
  assertError(await page.ask('GET', '/state'), 401, 'onboarding_session_ended')
  assert.ok(!(await call('GET', '/v0/audit-log')).text.includes(user), 'the audit log outlives the end-user')
  assertError(await askForPage(world, codeOf(link)), 401, 'onboarding_link_revoked')
})

test('200 an opening and a revocation at the same moment: no page is left, whichever was first', async () => {
  const user = await world.business.user()
  for (let round = 0; round < 10; round++) {
    const link = await newLink(user)
    const [opened, revoked] = await Promise.all([openPage(world, link).catch(() => null), revoke(link.id)])
    assert.equal(revoked.status, 200)
    if (opened) assertError(await opened.ask('GET', '/state'), 401, 'onboarding_session_ended')
  }
})

test("404 a link that has ended, and another business's: byte for byte the same as an absent one", async () => {
  const absent = await revoke('onboarding_link_00000000000000000000000000')
  assertError(absent, 404, 'onboarding_link_not_found')
  const { id } = await newLink(await world.business.user())
  const { apiKey: key } = await world.otherBusiness()
  assertSameAnswer(await revoke(id, { key }), absent)
  assert.equal((await revoke(id)).status, 200)
  assertSameAnswer(await revoke(id), absent)
})
