// POST /v0/end-users/{externalUserId}/onboarding-links

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { assertError, assertSameAnswer } from '../caller.ts'
import { askForPage, codeOf, openPage } from '../onboarding-page.ts'
import { freshUserId } from '../people.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()
after(() => world.stop())
const { call } = world.business
const pathOf = (user: string) => `/v0/end-users/${user}/onboarding-links`
const create = (user: string, body: unknown = {}, options = {}) => call('POST', pathOf(user), body, options)
const hoursTo = (time: string) => Math.round((Date.parse(time) - Date.now()) / 3_600_000)

test('200 a link for a day, whose code stands behind the # of its address', async () => {
  const user = await world.business.user()
  const { data } = (await create(user)).body
  const { origin, pathname, search, hash } = new URL(data.url)
  assert.deepEqual([origin, pathname, search], [world.url, `/onboard/${data.id}`, ''])
  assert.match(hash, /^#svc_onboarding_link_[\w-]{43}$/)
  assert.equal(hoursTo(data.expiresAt), 24)
  const { url: _, id, createdAt, expiresAt, ...rest } = data
  assert.deepEqual(rest, {
    externalUserId: user,
    status: 'open',
    rails: ['usd'],
    locale: null,
    redirectUri: null,
    openedAt: null,
    completedAt: null,
  })
})

test('200 what is asked for is shown: currencies, language, the way back, hours', async () => {
  const wanted = { rails: ['eur', 'usd'], locale: 'de', redirectUri: 'https://app.example.com/back?a=1' }
  const { data } = (await create(await world.business.user(), { ...wanted, expiresInHours: 72 })).body
  assert.deepEqual([data.rails, data.locale, data.redirectUri], Object.values(wanted))
  assert.equal(hoursTo(data.expiresAt), 72)
})

test('200 a newer link takes the place of the one before, and ends the page that was opened by it', async () => {
  const user = await world.business.user()
  const first = (await create(user)).body.data
  const page = await openPage(world, first)
  const second = (await create(user)).body.data
  assertError(await page.ask('GET', '/state'), 401, 'onboarding_session_ended')
  assertError(await askForPage(world, codeOf(first)), 401, 'onboarding_link_revoked')
  await openPage(world, second)
})

test('400 a time, a language, a currency or an address that cannot be: refused by name', async () => {
  const user = await world.business.user()
  for (const [body, code, param] of [
    [{ expiresInHours: 0 }, 'invalid_value', 'expiresInHours'],
    [{ expiresInHours: 73 }, 'invalid_value', 'expiresInHours'],
    [{ rails: [] }, 'invalid_length', 'rails'],
    [{ rails: ['usd', 'usd'] }, 'invalid_value', 'rails'],
    [{ rails: ['chf'] }, 'invalid_value', 'rails.0'],
    [{ locale: 'it' }, 'invalid_value', 'locale'],
    [{ redirectUri: 'http://app.example.com' }, 'invalid_redirect_uri', 'redirectUri'],
    [{ redirectUri: 'javascript:alert(1)' }, 'invalid_redirect_uri', 'redirectUri'],
    [{ email: 'ada@example.com' }, 'unknown_field', 'email'],
  ] as const)
    assertError(await create(user, body), 400, code, { param })
})

test("404 an absent end-user and another business's: byte for byte the same", async () => {
  const { apiKey: key } = await world.otherBusiness()
  const absent = freshUserId()
  const user = await world.business.user()
  assertSameAnswer(await create(user, {}, { key }), await create(absent, {}, { key }))
})

test('422 an end-user who is approved for all that is asked for needs no link, and one who lacks a currency does', async () => {
  const user = await world.business.user('approved')
  const { rails } = (await call('GET', `/v0/end-users/${user}`)).body.data
  const active = Object.keys(rails).filter((rail) => rails[rail] === 'active')
  const other = Object.keys(rails).find((rail) => rails[rail] !== 'active')
  assertError(await create(user, { rails: active }), 422, 'onboarding_not_needed')
  assert.equal((await create(user, { rails: [...active, other] })).status, 200)
})

test('422 an Idempotency-Key with another body; a repeat gets the same link, which still works', async () => {
  const user = await world.business.user()
  const headers = { 'idempotency-key': `link-${user}` }
  const first = await create(user, {}, { headers })
  assert.equal((await create(user, {}, { headers })).text, first.text)
  assertError(await create(user, { locale: 'es' }, { headers }), 422, 'idempotency_key_reused')
  await openPage(world, first.body.data)
})
