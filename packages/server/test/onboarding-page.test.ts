// The server side of the onboarding page: one link, one end-user, one page; what it shows, what it sends on, how it ends.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { settleExpired } from '../src/onboarding/links.ts'
import { assertError, dataOf, request, until } from './caller.ts'
import { askForPage, codeOf, openPage, pageOf } from './onboarding-page.ts'
import { kycBody, userPath } from './people.ts'
import { openWorld } from './world.ts'

const world = await openWorld({ alone: true })
after(() => world.stop())
const newLink = async (user: string, body = {}) =>
  dataOf(await world.business.call('POST', userPath(user, '/onboarding-links'), body))
const linkOf = async (user: string) => dataOf(await world.business.call('GET', userPath(user, '/onboarding-links')))[0]
const eventsOf = async (type: string, user: string) =>
  dataOf(await world.business.call('GET', `/v0/events?eventType=${type}&externalUserId=${user}`))

test('from terms to approval: the page shows each step, and the event comes with the approval', async () => {
  const user = await world.business.user()
  const link = await newLink(user)
  const page = await openPage(world, link)
  const first = await page.state()
  assert.equal(first.nextAction.kind, 'accept_tos')
  const terms = dataOf(await page.ask('POST', '/terms'))
  assert.equal(terms.origin, world.provider.origin)
  const agreement = await world.business.acceptTerms(user)
  const requirements = dataOf(await page.ask('GET', '/requirements?country=USA'))
  assert.equal(requirements.country, 'USA')
  const body = kycBody(agreement, user)
  assert.deepEqual(dataOf(await page.ask('POST', '/submission?dryRun=true', body)).problems, [])
  const mistyped = dataOf(await page.ask('POST', '/submission?dryRun=true', { ...body, phone: '1' }))
  assert.deepEqual(
    mistyped.problems.map(({ param }: { param: string }) => param),
    ['phone'],
  )
  assert.equal((await page.ask('POST', '/submission', body)).status, 200)
  const done = await until('the approval', async () => {
    const state = await page.state()
    return state.nextAction.kind === 'none' && state
  })
  assert.equal(done.kycStatus, 'approved')
  await until('the event', async () => (await eventsOf('end_user.onboarding.completed', user)).length === 1)
  assert.equal((await linkOf(user)).status, 'completed')
})

test('a page is told once how it looks, with the colors that the chosen ones call for', async () => {
  const colors = { primary: '#facc15', background: '#18181b', text: '#fafafa' }
  const set = await world.business.call('PUT', '/v0/branding', {
    name: 'Nubia Pay',
    colors,
    embedOrigins: ['https://shop.example'],
  })
  assert.equal(set.status, 200, set.text)
  const link = await newLink(await world.business.user(), { locale: 'pt', redirectUri: 'https://shop.example/after' })
  const { token, ...opening } = dataOf(await askForPage(world, codeOf(link)))
  assert.deepEqual(opening, {
    branding: {
      name: 'Nubia Pay',
      logo: null,
      colors: { ...colors, onPrimary: '#000000', scheme: 'dark' },
      dark: null,
      supportEmail: null,
      privacyUrl: null,
    },
    embedOrigins: ['https://shop.example'],
    type: 'individual',
    locale: 'pt',
    redirectUri: 'https://shop.example/after',
    isSandbox: true,
  })
  assert.equal((await world.business.call('PUT', '/v0/branding', {})).status, 200)
  const { branding } = dataOf(await askForPage(world, codeOf(link)))
  assert.deepEqual([branding.colors.onPrimary, branding.colors.scheme], ['#ffffff', 'light'])
  assert.deepEqual([branding.dark.onPrimary, branding.dark.scheme], ['#000000', 'dark'])
})

test('a page that waits is answered by the change, and not before', async () => {
  const user = await world.business.user()
  const page = await openPage(world, await newLink(user))
  const agreement = await world.business.acceptTerms(user)
  const { version } = await page.state()
  const begun = performance.now()
  const waiting = page.state(`?known=${version}&wait=20`)
  const unchanged = await page.state(`?known=${version}&wait=1`)
  assert.equal(unchanged.version, version)
  assert.equal((await page.ask('POST', '/submission', kycBody(agreement, user))).status, 200)
  const answered = await waiting
  assert.notEqual(answered.version, version)
  assert.ok(performance.now() - begun < 15_000)
})

test('a page that waits ends at once when its link is revoked, replaced, or opened elsewhere', async () => {
  const ends = [
    async (_: string, { id }: { id: string }) =>
      dataOf(await world.business.call('DELETE', `/v0/onboarding-links/${id}`)),
    async (user: string) => newLink(user),
    async (_: string, link: { url: string }) => openPage(world, link),
  ]
  for (const end of ends) {
    const user = await world.business.user()
    const link = (await newLink(user)) as { id: string; url: string }
    const page = await openPage(world, link)
    const { version } = await page.state()
    const waiting = page.ask('GET', `/state?known=${version}&wait=20`)
    const begun = performance.now()
    await end(user, link)
    assertError(await waiting, 401, 'onboarding_session_ended')
    assert.ok(performance.now() - begun < 5_000)
  }
})

test('a new end-user is asked for with the currencies of the link, whatever the page sends', async () => {
  const user = await world.business.user()
  const page = await openPage(world, await newLink(user, { rails: ['mxn'] }))
  const body = { ...kycBody(await world.business.acceptTerms(user), user), endorsements: ['pix'] }
  assert.equal((await page.ask('POST', '/submission', body)).status, 200)
  await until('the approval', async () => (await page.state()).nextAction.kind === 'none')
  const { rails } = dataOf(await world.business.call('GET', userPath(user)))
  assert.deepEqual([rails.mxn, rails.brl], ['active', 'inactive'])
})

test('the occupations of the provider are listed, each with its code', async () => {
  const page = await openPage(world, await newLink(await world.business.user()))
  const found = dataOf(await page.ask('GET', '/occupations'))
  assert.deepEqual(found[0], { code: '132011', name: 'Accountant and auditor' })
})

test('a link that is opened a second time goes on there: the first page is told so', async () => {
  const link = await newLink(await world.business.user())
  const [first, second] = [await openPage(world, link), await openPage(world, link)]
  assertError(await first.ask('GET', '/state'), 401, 'onboarding_session_ended')
  await second.state()
})

test('a code that is wrong, cut, of another kind, or expired opens nothing', async () => {
  const user = await world.business.user()
  const link = await newLink(user)
  const code = codeOf(link)
  for (const wrong of [
    code.slice(0, -1),
    `${code}A`,
    code.replace(/.$/, (end) => (end === 'A' ? 'B' : 'A')),
    world.business.apiKey,
    '',
  ])
    assertError(await askForPage(world, wrong), 401, 'onboarding_link_invalid')
  await world.rows`update onboarding_links set expires_at = now() - interval '1 second' where id = ${link.id}`
  assertError(await askForPage(world, code), 401, 'onboarding_link_expired')
})

test('a link that was opened too often says so, and does not say that it expired', async () => {
  const link = await newLink(await world.business.user())
  await world.rows`update onboarding_links set openings = 49 where id = ${link.id}`
  await openPage(world, link)
  assertError(await askForPage(world, codeOf(link)), 401, 'onboarding_link_used_up')
})

test('the page of a suspended business tells the end-user to come back, and opens when the business is active', async () => {
  const { id: customerId, apiKey, user: newUser } = await world.otherBusiness()
  const user = await newUser()
  const link = dataOf(await world.business.call('POST', userPath(user, '/onboarding-links'), {}, { key: apiKey }))
  const page = await openPage(world, link)
  const setStatus = async (status: string) =>
    dataOf(
      await world.business.call('PATCH', `/v0/customers/${customerId}`, { status }, { key: world.operator.secret }),
    )
  await setStatus('suspended')
  assertError(await askForPage(world, codeOf(link)), 403, 'onboarding_unavailable')
  assertError(await page.ask('GET', '/state'), 403, 'onboarding_unavailable')
  await setStatus('active')
  await openPage(world, link)
})

test('the token of a page is no key: it reaches no operation, and a key reaches no page', async () => {
  const user = await world.business.user()
  const page = await openPage(world, await newLink(user))
  for (const path of [userPath(user), userPath(user, '/kyc-links'), '/v0/end-users', '/v0/whoami'])
    assertError(await world.business.call('GET', path, undefined, { key: page.token }), 401, 'api_key_malformed')
  assertError(await pageOf(world, world.business.apiKey).ask('GET', '/state'), 401, 'onboarding_session_ended')
  assertError(await request('GET', `${world.url}/onboard/api/state`), 401, 'api_key_missing')
})

test('the page shows nothing that the business keeps for itself', async () => {
  const user = await world.business.user()
  await world.business.call('PATCH', userPath(user), { metadata: { risk: 'secret-note' }, email: 'kept@example.com' })
  const page = await openPage(world, await newLink(user))
  const text = JSON.stringify(await page.state())
  for (const secret of ['secret-note', 'kept@example.com', user, 'key_']) assert.ok(!text.includes(secret), secret)
})

test('a link whose time is over is abandoned while something is left to do, and left to the verdict while it is looked into', async () => {
  const [idle, waiting] = [await world.business.user(), await world.business.user()]
  for (const user of [idle, waiting]) await newLink(user)
  const { db } = world.inside
  await db.statement(
    (query) =>
      query`update end_users set kyc_status = 'under_review', tos_status = 'approved' where external_user_id = ${waiting}`,
  )
  await db.statement((query) => query`update onboarding_links set expires_at = now() where completed_at is null`)
  await settleExpired(world.inside, 100)
  assert.equal((await linkOf(idle)).status, 'abandoned')
  assert.equal((await linkOf(waiting)).status, 'expired')
  await until('the event', async () => (await eventsOf('end_user.onboarding.abandoned', idle)).length === 1)
  assert.equal(await settleExpired(world.inside, 100), 0, 'each is looked at once')
})

test('the links of an end-user who is erased go with the end-user', async () => {
  const user = await world.business.user()
  const page = await openPage(world, await newLink(user))
  dataOf(await world.business.call('DELETE', userPath(user)))
  assertError(await page.ask('GET', '/state'), 401, 'onboarding_session_ended')
})

test('an end-user cannot state what only a business can: checks of its own, or an acceptance without the terms', async () => {
  const user = await world.business.user()
  const page = await openPage(world, await newLink(user))
  const body = {
    ...kycBody('agreement', user),
    has_accepted_terms_of_service: true,
    verified_govid_at: '2026-01-01T00:00:00Z',
    kyc_screen: { result: 'passed', screened_at: '2026-01-01T00:00:00Z' },
  }
  const expected = ['has_accepted_terms_of_service', 'kyc_screen', 'verified_govid_at']
  const { problems } = dataOf(await page.ask('POST', '/submission?dryRun=true', body))
  assert.deepEqual(problems.map(({ param }: { param: string }) => param).toSorted(), expected)
  const refused = await page.ask('POST', '/submission', body)
  assert.deepEqual([refused.status, refused.body.error.code], [400, 'invalid_kyc_data'])
})
