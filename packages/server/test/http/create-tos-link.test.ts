// createTosLink: POST /v0/end-users/:externalUserId/tos-link.

import assert from 'node:assert/strict'
import { after, afterEach, describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { expireTosLinks } from '../../src/end-users/store.ts'
import type { ProviderClient } from '../../src/provider/adapters.ts'
import { assertError, assertSameAnswer, dataOf, request, until } from '../caller.ts'
import { freshUserId, kycBody, userPath } from '../people.ts'
import { openWorld } from '../world.ts'

const world = await openWorld({ env: { PROVIDER_TIMEOUT_MS: '1500' } })
after(() => world.stop())
afterEach(() => world.provider.recovers())

const link = (externalUserId: string, body?: unknown, key?: string) =>
  world.business.call('POST', userPath(externalUserId, '/tos-link'), body, key === undefined ? {} : { key })

const redirectOf = ({ tosLink }: { tosLink: string }) => new URL(tosLink).searchParams.get('redirect_uri')
const upstreamLinks = '^/v0/customers/tos_links$'

test('200 the link has exactly its three fields, is pending, and stands on the origin that the end-user and capabilities name', async () => {
  const user = await world.business.user()
  assert.equal(dataOf(await world.business.call('GET', userPath(user))).tosOrigin, null, 'no link is open')
  const made = dataOf(await link(user))
  assert.equal(dataOf(await world.business.call('GET', userPath(user))).tosOrigin, world.provider.origin)
  assert.deepEqual(Object.keys(made), ['tosLinkId', 'tosLink', 'tosStatus'])
  assert.match(made.tosLinkId, /^tos_link_[0-9a-z]{26}$/)
  assert.equal(made.tosStatus, 'pending')
  assert.equal(new URL(made.tosLink).origin, world.provider.origin)
  assert.equal(dataOf(await world.business.call('GET', '/v0/capabilities')).tosOrigin, world.provider.origin)
  const page = await fetch(made.tosLink)
  assert.equal(page.status, 200)
  assert.match(await page.text(), /Terms of Service/)
})

test('200 the body may be absent, empty or an empty object', async () => {
  const user = await world.business.user()
  const empty = { headers: { 'content-type': 'application/json' }, raw: '' }
  for (const answer of [
    await link(user),
    await link(user, {}),
    await world.business.call('POST', userPath(user, '/tos-link'), undefined, empty),
  ]) {
    assert.equal(redirectOf(dataOf(answer)), null)
  }
})

test('200 a pending link is handed out again, with the redirectUri of the latest request, and no second is made', async () => {
  const user = await world.business.user()
  const before = await world.provider.counts()
  const first = dataOf(await link(user, { redirectUri: 'https://one.example/back?a=1&b=%20' }))
  const second = dataOf(await link(user, { redirectUri: 'https://two.example/' }))
  const third = dataOf(await link(user))
  assert.deepEqual([second.tosLinkId, third.tosLinkId], [first.tosLinkId, first.tosLinkId])
  assert.equal(redirectOf(first), 'https://one.example/back?a=1&b=%20')
  assert.equal(redirectOf(second), 'https://two.example/')
  assert.equal(redirectOf(third), null)
  assert.equal((await world.provider.counts())['tos_sessions'], (before['tos_sessions'] ?? 0) + 1)
})

test('200 of many requests at once, in waves, none makes a second link', async () => {
  for (let round = 0; round < 5; round++) {
    const user = await world.business.user()
    const wave = async (at: number) => {
      await delay(at % 8) // some begin while the first one ends
      return await link(user)
    }
    const answers = await Promise.all(Array.from({ length: 24 }, (_, at) => wave(at)))
    const made = answers.filter(({ status }) => status === 200)
    for (const { status, body } of answers) if (status !== 200) assert.equal(body.error.code, 'tos_link_in_progress')
    assert.equal(new Set(made.map((answer) => dataOf(answer).tosLinkId)).size, 1)
  }
})

test('200 acceptance leads back with the agreement, and its submission makes tosStatus approved and tells it', async () => {
  const user = await world.business.user()
  const made = dataOf(await link(user, { redirectUri: 'https://app.example/done?step=2' }))
  const page = new URL(made.tosLink)
  const accepted = await fetch(page, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({}),
  })
  assert.equal(accepted.status, 200)
  const { signedAgreementId, continueTo } = (await accepted.json()) as { signedAgreementId: string; continueTo: string }
  assert.match(signedAgreementId, /^[0-9a-f-]{36}$/)
  assert.equal(continueTo, `https://app.example/done?step=2&signed_agreement_id=${signedAgreementId}`)
  assert.equal(dataOf(await world.business.call('GET', userPath(user))).tosStatus, 'pending', 'nobody has told us yet')
  const submitted = await world.business.call('POST', userPath(user, '/submit-kyc'), kycBody(signedAgreementId, user))
  assert.equal(dataOf(submitted).tosStatus, 'approved')
  const events = await world.business.deliveredEvents(user, ['end_user.created', 'end_user.tos.accepted'])
  const told = events.filter(({ eventType }) => eventType === 'end_user.tos.accepted')
  assert.equal(told.length, 1)
  assert.equal(told[0]?.payload.data['tosStatus'], 'approved')
})

test('200 one whose terms are accepted gets a fresh link of the customer, for later versions of the terms', async () => {
  const user = await world.business.user('approved')
  const made = dataOf(await link(user))
  assert.equal(made.tosStatus, 'approved')
  assert.equal((await fetch(made.tosLink)).status, 200)
  assert.equal(dataOf(await link(user)).tosStatus, 'approved', 'and when it is handed out again')
  assert.equal(dataOf(await world.business.call('GET', userPath(user))).tosStatus, 'approved')
})

test('200 the mail address that the provider puts into a link does not lie here; a link that no secret opens is made anew', async () => {
  const { db } = world.inside
  const externalUserId = await world.business.user('approved')
  const first = dataOf(await link(externalUserId))
  const address = new URL(first.tosLink).searchParams.get('email') ?? ''
  assert.match(address, /@/)
  const [row] = await db.read((query) => query`select * from tos_links where id = ${first.tosLinkId}`)
  assert.ok(!JSON.stringify(row).includes(address) && !JSON.stringify(row).includes(encodeURIComponent(address)))
  await db.transaction(
    (tx) => tx`update tos_links set provider_url = '', status = 'pending' where id = ${first.tosLinkId}`,
  )
  const second = dataOf(await link(externalUserId))
  assert.notEqual(second.tosLinkId, first.tosLinkId)
  assert.equal(new URL(second.tosLink).searchParams.get('email'), address)
})

test('200 an expired link is not handed out again', async () => {
  const user = await world.business.user()
  const first = dataOf(await link(user))
  const { db } = world.inside
  await db.transaction((tx) => tx`update tos_links set expires_at = now() where id = ${first.tosLinkId}`)
  await db.transaction((tx) => expireTosLinks(tx, 100))
  assert.equal(dataOf(await world.business.call('GET', userPath(user))).tosStatus, 'expired')
  const second = dataOf(await link(user))
  assert.notEqual(second.tosLinkId, first.tosLinkId)
  assert.notEqual(second.tosLink, first.tosLink)
  assert.equal(dataOf(await world.business.call('GET', userPath(user))).tosStatus, 'pending')
})

describe('redirectUri', () => {
  const accepted: [given: string, kept: string][] = [
    ['https://app.example', 'https://app.example/'],
    ['https://app.example:8443/a/b?c=d', 'https://app.example:8443/a/b?c=d'],
    ['https://10.0.0.1/intranet', 'https://10.0.0.1/intranet'],
    ['https://münchen.example/', 'https://xn--mnchen-3ya.example/'],
    ['http://localhost:3000/done', 'http://localhost:3000/done'],
    ['http://127.0.0.1:3000/done', 'http://127.0.0.1:3000/done'],
    ['http://[::1]:3000/', 'http://[::1]:3000/'],
    [
      'https://app.example/?redirect_uri=https://evil.example',
      'https://app.example/?redirect_uri=https://evil.example',
    ],
    ['https://app.example/?signed_agreement_id=forged', 'https://app.example/?signed_agreement_id=forged'],
  ]
  for (const [given, kept] of accepted) {
    test(`200 ${given}`, async () => {
      assert.equal(redirectOf(dataOf(await link(await world.business.user(), { redirectUri: given }))), kept)
    })
  }

  const refused: [what: string, given: unknown][] = [
    ['an empty text', ''],
    ['a path', '/canary'],
    ['without a scheme', 'canary.example/done'],
    ['relative to the scheme', '//canary.example/'],
    ['plain http of another host', 'http://canary.example/'],
    ['a host that begins like this machine', 'http://localhost.canary.example/'],
    ['a script', 'javascript:alert("canary")'],
    ['data', 'data:text/html,canary'],
    ['a file', 'file:///etc/canary'],
    ['an app of its own', 'canary://done'],
    ['a user name', 'https://canary@app.example/'],
    ['a password', 'https://u:canary@app.example/'],
    ['a fragment', 'https://app.example/#canary'],
    ['a backslash', 'https://app.example\\@canary.example/'],
    ['a tab', 'https://app.example/\tcanary'],
    ['a newline', 'https://app.example/\r\nSet-Cookie: canary'],
    ['a space before it', ' https://canary.example/'],
    ['an invisible character', 'https://app\u200b.canary.example/'],
    ['port 0', 'https://canary.example:0/'],
    ['port 65536', 'https://canary.example:65536/'],
    ['no host', 'https:///canary'],
    ['a host that is none', 'https://canary..example/'],
    ['2,049 characters', `https://app.example/${'c'.repeat(2_029)}`],
    ['a number', 4711],
    ['null', null],
    ['a list', ['https://canary.example/']],
  ]
  for (const [what, redirectUri] of refused) {
    test(`400 ${what}`, async () => {
      assertError(await link(await world.business.user(), { redirectUri }), 400, 'invalid_redirect_uri', {
        param: 'redirectUri',
        details: { redirectUri: 'invalid_redirect_uri' },
        silentOn: ['canary', 'ccc'],
      })
    })
  }

  test('200 with 2,048 characters', async () => {
    const redirectUri = `https://app.example/${'c'.repeat(2_028)}`
    assert.equal(redirectOf(dataOf(await link(await world.business.user(), { redirectUri }))), redirectUri)
  })
})

test('400 an unknown field, with the one that was probably meant', async () => {
  const { message } = assertError(
    await link(await world.business.user(), { redirect_uri: 'https://canary.example/' }),
    400,
    'unknown_field',
    { param: 'redirect_uri', details: { redirect_uri: 'unknown_field' }, silentOn: ['canary'] },
  )
  assert.match(message, /Did you mean `redirectUri`\?/)
})

test('404 an end-user that does not exist, or is of another business: one answer, and nothing is made upstream', async () => {
  const { user: newUser } = await world.otherBusiness()
  const foreign = await newUser()
  const before = await world.provider.counts()
  const [absent, others] = [await link(freshUserId()), await link(foreign)]
  const { resolution } = assertError(absent, 404, 'holder_not_found', { param: 'externalUserId' })
  assert.match(resolution, /POST \/v0\/end-users/)
  assertSameAnswer(others, absent)
  assert.deepEqual(await world.provider.counts(), before)
})

test('409 of two who ask while the link is being made one is told to repeat, and then gets the same link', async () => {
  const user = await world.business.user()
  await world.provider.fails({ method: 'POST', path: upstreamLinks, mode: 'delay', delay_ms: 150 })
  const answers = await Promise.all([link(user), link(user)])
  const [made, refused] = answers.toSorted((one, other) => one.status - other.status)
  assert.ok(made && refused)
  assertError(refused, 409, 'tos_link_in_progress', { param: null })
  assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/)
  assert.equal(dataOf(await link(user)).tosLinkId, dataOf(made).tosLinkId)
})

test('422 a refusal of the provider that names no field is told with its code and text', async () => {
  const body = { code: 'not_allowed', message: 'Not enabled for you', source: { location: 'body', key: {} } }
  await world.provider.fails({ method: 'POST', path: upstreamLinks, mode: 'status', status: 400, body })
  const user = await world.business.user()
  const refused = await link(user)
  assertError(refused, 422, 'provider_rejected', { details: { '': 'not_allowed' }, param: null })
  assert.equal(refused.body.error.details[0].message, 'Not enabled for you')
  assert.equal(dataOf(await link(user)).tosStatus, 'pending')
})

describe('a provider that is away', () => {
  for (const [what, order] of [
    ['an error of its own', { mode: 'status', status: 500 }],
    ['maintenance', { mode: 'status', status: 503 }],
    ['a rate limit', { mode: 'status', status: 429 }],
  ] as const) {
    test(`503 ${what}; the repeat is handed a link`, async () => {
      const user = await world.business.user()
      await world.provider.fails({ method: 'POST', path: upstreamLinks, ...order })
      const answer = await link(user)
      assertError(answer, 503, 'provider_unavailable', { silentOn: ['Bad Gateway'], param: null })
      assert.match(answer.headers.get('retry-after') ?? '', /^\d+$/)
      assert.equal(dataOf(await link(user)).tosStatus, 'pending')
    })
  }

  test('500 what is not its wire; the repeat is handed a link', async () => {
    const user = await world.business.user()
    await world.provider.fails({ method: 'POST', path: upstreamLinks, mode: 'garbage' })
    assertError(await link(user), 500, 'provider_response_unreadable', { silentOn: ['Bad Gateway'], param: null })
    assert.equal(dataOf(await link(user)).tosStatus, 'pending')
  })

  for (const [what, order] of [
    ['cuts the connection before the work', { mode: 'cut_before' }],
    ['cuts the connection after the work', { mode: 'cut_after' }],
    ['never answers', { mode: 'hang' }],
    ['answers too late', { mode: 'delay', delay_ms: 1_900 }],
  ] as const) {
    test(`504 one that ${what}: the repeat is handed a link, and upstream there is one session`, async () => {
      const user = await world.business.user()
      const before = await world.provider.counts()
      await world.provider.fails({ method: 'POST', path: upstreamLinks, ...order })
      assertError(await link(user), 504, 'provider_timeout', { param: null })
      assert.equal(dataOf(await link(user)).tosStatus, 'pending')
      assert.equal((await world.provider.counts())['tos_sessions'], (before['tos_sessions'] ?? 0) + 1)
    })
  }

  test('504 the link is completed in the background when nobody repeats', async () => {
    const user = await world.business.user()
    await world.provider.fails({ method: 'POST', path: upstreamLinks, mode: 'cut_after' })
    assertError(await link(user), 504, 'provider_timeout', { param: null })
    const action = await until('the link', async () => {
      const { nextAction } = dataOf(await world.business.call('GET', userPath(user)))
      return nextAction.url === undefined ? null : nextAction
    })
    assert.equal(action.url, dataOf(await link(user)).tosLink)
  })

  test('503 a reading of the provider that fails is told as the provider’s failure', async () => {
    const user = await world.business.user('approved')
    await world.provider.fails({ method: 'GET', path: 'tos_acceptance_link$', mode: 'status', status: 500, times: 3 })
    assertError(await link(user), 503, 'provider_unavailable', { param: null })
  })
})

test('200 accepting twice yields one agreement', async () => {
  const user = await world.business.user()
  assert.equal(await world.business.acceptTerms(user), await world.business.acceptTerms(user))
})

describe('a provider that lacks a part', () => {
  const lacking = (parts: Partial<ProviderClient>) =>
    world.replica({
      adapt: (made) => ({ ...made, ...parts, during: (turn) => ({ ...made.during(turn), ...parts }) }),
    })
  const { terms } = world.inside.provider
  assert.ok(terms)
  const headers = { authorization: `Bearer ${world.business.apiKey}` }
  const linkAt = ({ url }: { url: string }, user: string, body: unknown) =>
    request('POST', `${url}${userPath(user, '/tos-link')}`, body, { headers })

  test('422 without terms no link is made, the provider is not asked, and nobody is asked to accept', async () => {
    await using replica = await lacking({ terms: null })
    const body = { externalUserId: freshUserId() }
    const made = dataOf(await request('POST', `${replica.url}/v0/end-users`, body, { headers }))
    assert.deepEqual([made.tosStatus, made.nextAction.kind], ['approved', 'submit_kyc'])
    await world.provider.fails({ path: upstreamLinks, mode: 'delay', delay_ms: 0, times: 9 })
    assertError(await linkAt(replica, body.externalUserId, {}), 422, 'not_offered')
    const [{ hits }] = (await world.provider.control('GET', '/faults')).body.data
    assert.equal(hits, 0)
  })

  test('200 links that cannot be changed: another redirectUri gets a new link, the same one the open link', async () => {
    await using replica = await lacking({ terms: { ...terms, withReturn: null } })
    const user = await world.business.user()
    const links = []
    for (const redirectUri of ['https://one.example/', 'https://one.example/', 'https://two.example/'])
      links.push(dataOf(await linkAt(replica, user, { redirectUri })))
    const [first, second, third] = links
    assert.equal(first.tosLinkId, second.tosLinkId)
    assert.notEqual(first.tosLinkId, third.tosLinkId)
    assert.equal(redirectOf(third), null)
  })

  test('200 without a link for a customer who exists, a link as of somebody new is made', async () => {
    await using replica = await lacking({ terms: { ...terms, linkOfCustomer: null } })
    const user = await world.business.user('submitted')
    const before = await world.provider.counts()
    const made = dataOf(await linkAt(replica, user, {}))
    assert.ok(made.tosLink)
    assert.equal((await world.provider.counts())['tos_sessions'], (before['tos_sessions'] ?? 0) + 1)
  })
})
