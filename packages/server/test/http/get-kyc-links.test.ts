// getKycLinks: GET /v0/end-users/:externalUserId/kyc-links.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, afterEach, describe, test } from 'node:test'
import { assertError, assertSameAnswer, dataOf, request, until } from '../caller.ts'
import { freshUserId, kycBody, userPath } from '../people.ts'
import { openWorld } from '../world.ts'

const world = await openWorld({ alone: true, env: { PROVIDER_TIMEOUT_MS: '1500', KYC_SUBMISSIONS_PER_MINUTE: '1000' } })
after(() => world.stop())
afterEach(() => world.provider.recovers())

const links = (user: string, key?: string) =>
  world.business.call('GET', userPath(user, '/kyc-links'), undefined, key === undefined ? {} : { key })
const submit = (user: string, body: unknown) => world.business.call('POST', userPath(user, '/submit-kyc'), body)
const read = async (user: string) => dataOf(await world.business.call('GET', userPath(user)))
const linkCreation = { method: 'POST', path: '^/v0/kyc_links$' }

const members = [
  'externalUserId',
  'kycStatus',
  'tosStatus',
  'kycLink',
  'tosLink',
  'rejectionReasons',
  'requirements',
  'associatedPersons',
  'nextAction',
]

async function newUserWith(given: Record<string, unknown>): Promise<string> {
  const externalUserId = freshUserId()
  dataOf(await world.business.call('POST', '/v0/end-users', { externalUserId, ...given }))
  return externalUserId
}

/** The end-user's actions on the two hosted pages. */
async function acceptTermsPage(tosLink: string): Promise<void> {
  const answer = await request('POST', tosLink, {})
  assert.equal(answer.status, 200, answer.text)
}
async function finishKycPage(kycLink: string, outcome: string): Promise<void> {
  const answer = await request('POST', kycLink, { outcome })
  assert.equal(answer.status, 200, answer.text)
}

async function reaches(user: string, kycStatus: string): Promise<void> {
  await until(`${kycStatus} of ${user}`, async () => (await read(user)).kycStatus === kycStatus)
}

test('200 nothing is submitted: both hosted pages are offered, and a second look makes no second link', async () => {
  const user = await world.business.user()
  const before = await world.provider.counts()
  const first = dataOf(await links(user))
  assert.deepEqual(Object.keys(first), members)
  const { kycLink, tosLink, ...rest } = first
  assert.deepEqual(rest, {
    externalUserId: user,
    kycStatus: 'not_started',
    tosStatus: 'pending',
    rejectionReasons: [],
    requirements: { currentlyDue: [], pendingReview: [], errors: [], associatedPersons: [], future: [] },
    associatedPersons: [],
    nextAction: { kind: 'accept_tos', url: tosLink },
  })
  for (const link of [kycLink, tosLink]) {
    assert.equal(new URL(link).origin, world.provider.origin)
    assert.equal((await fetch(link)).status, 200)
  }
  assert.deepEqual(dataOf(await links(user)), first)
  assert.equal((await world.provider.counts())['kyc_links'], (before['kyc_links'] ?? 0) + 1)
})

test('200 a Terms-of-Service link that is open already is the one that is shown', async () => {
  const user = await world.business.user()
  const open = dataOf(
    await world.business.call('POST', userPath(user, '/tos-link'), { redirectUri: 'https://app.example/' }),
  )
  const shown = dataOf(await links(user))
  assert.equal(shown.tosLink, open.tosLink)
  assert.deepEqual(shown.nextAction, { kind: 'accept_tos', url: open.tosLink })
})

test('200 without an e-mail address there is no hosted page, and nothing is made upstream', async () => {
  const user = await newUserWith({})
  const before = await world.provider.counts()
  const shown = dataOf(await links(user))
  assert.deepEqual([shown.kycLink, shown.tosLink], [null, null])
  assert.deepEqual(shown.nextAction, { kind: 'accept_tos' })
  assert.deepEqual(await world.provider.counts(), before)
})

test('200 under review: there is nothing to do but wait, and the hosted page stays open', async () => {
  const user = await world.business.user()
  dataOf(await submit(user, kycBody(await world.business.acceptTerms(user), `${user}+review`)))
  await reaches(user, 'under_review')
  const shown = dataOf(await links(user))
  assert.deepEqual([shown.kycStatus, shown.tosStatus, shown.tosLink], ['under_review', 'approved', null])
  assert.equal(shown.nextAction.kind, 'wait')
  assert.equal((await fetch(shown.kycLink)).status, 200)
})

test('200 data is missing: what is due stands beside the page where it can be given', async () => {
  const user = await world.business.user()
  const { birth_date: _, ...partly } = kycBody(await world.business.acceptTerms(user), user)
  dataOf(await submit(user, partly))
  const shown = dataOf(await links(user))
  assert.equal(shown.kycStatus, 'action_required')
  assert.deepEqual(shown.requirements.currentlyDue, ['date_of_birth'])
  assert.deepEqual(shown.nextAction, { kind: 'resubmit_kyc', fields: ['birth_date'] })
  assert.equal((await fetch(shown.kycLink)).status, 200)
})

test('200 rejected: the reasons may be shown to the end-user', async () => {
  const user = await world.business.user()
  dataOf(await submit(user, kycBody(await world.business.acceptTerms(user), `${user}+reject`)))
  await reaches(user, 'rejected')
  const answer = await links(user)
  const shown = dataOf(answer)
  assert.deepEqual(shown.rejectionReasons, ['Cannot validate ID -- upload a clear photo of the full ID'])
  assert.equal(shown.nextAction.kind, 'resubmit_kyc')
  assert.ok(!answer.text.includes('developer'))
  assert.notEqual(shown.kycLink, null)
})

test('200 paused: no page can help', async () => {
  const user = await world.business.user()
  dataOf(await submit(user, kycBody(await world.business.acceptTerms(user), `${user}+paused`)))
  await reaches(user, 'paused')
  const shown = dataOf(await links(user))
  assert.deepEqual([shown.kycLink, shown.nextAction.kind], [null, 'wait'])
})

test('200 approved: no link is left, which is no error, and the provider is not asked', async () => {
  const user = await world.business.user('approved')
  await world.provider.fails({ path: '^/v0/', mode: 'status', status: 500, times: 10 })
  const shown = dataOf(await links(user))
  assert.deepEqual(
    [shown.kycStatus, shown.tosStatus, shown.kycLink, shown.tosLink, shown.nextAction],
    ['approved', 'approved', null, null, { kind: 'none' }],
  )
})

test('200 the answer is the provider’s present one, also when no event has come', async () => {
  const user = await world.business.user()
  dataOf(await submit(user, kycBody(await world.business.acceptTerms(user), `${user}+review`)))
  await reaches(user, 'under_review')
  const { providerCustomerId: id } = await read(user)
  const body = { id, status: 'awaiting_ubo', has_accepted_terms_of_service: true, endorsements: [] }
  await world.provider.fails({ method: 'GET', path: `${id}$`, mode: 'status', status: 200, body, times: 20 })
  assert.equal(dataOf(await links(user)).kycStatus, 'action_required')
  // The event of the review may come between two looks.
  await until('the present answer', async () => {
    await links(user)
    return (await read(user)).providerStatus === 'awaiting_ubo'
  })
})

describe('the hosted page', () => {
  test('200 finished there, the end-user is approved, the customer is known, and every step is told', async () => {
    const user = await world.business.user()
    const { kycLink, tosLink } = dataOf(await links(user))
    assert.equal((await request('POST', kycLink, { outcome: 'approve' })).status, 409, 'the terms come first')
    await acceptTermsPage(tosLink)
    await finishKycPage(kycLink, 'approve')
    await reaches(user, 'approved')
    const shown = await read(user)
    assert.equal(shown.tosStatus, 'approved')
    assert.match(shown.providerCustomerId, /^[0-9a-f-]{36}$/)
    assert.deepEqual(shown.rails, {
      usd: 'active',
      eur: 'active',
      mxn: 'active',
      brl: 'inactive',
      gbp: 'inactive',
      cop: 'inactive',
    })
    const events = await world.business.deliveredEvents(user, ['end_user.tos.accepted', 'end_user.kyc.updated'])
    assert.equal(events.at(-1)?.payload.data['kycStatus'], 'approved')
    assert.equal(dataOf(await links(user)).kycLink, null)
  })

  test('200 a rejection there leads back here, and a submission by API goes on with the same customer', async () => {
    const user = await world.business.user()
    const { kycLink, tosLink } = dataOf(await links(user))
    await acceptTermsPage(tosLink)
    await finishKycPage(kycLink, 'reject')
    await reaches(user, 'rejected')
    const before = await read(user)
    const after_ = dataOf(await submit(user, kycBody(null, user)))
    assert.deepEqual([after_.providerCustomerId, after_.kycStatus], [before.providerCustomerId, 'under_review'])
    await reaches(user, 'approved')
  })

  test('200 it is opened by the link of a customer as well', async () => {
    const user = await world.business.user()
    const { identifying_information: _, ...partly } = kycBody(await world.business.acceptTerms(user), user)
    dataOf(await submit(user, partly))
    await finishKycPage(dataOf(await links(user)).kycLink, 'approve')
    await reaches(user, 'approved')
  })

  test('422 an address whose link belongs to another end-user: its papers and verdict are not handed over', async () => {
    const email = `${freshUserId()}@example.com`
    const [first, second] = [await newUserWith({ email }), await newUserWith({ email })]
    const { kycLink } = dataOf(await links(first))
    assertError(await links(second), 422, 'provider_rejected', {
      param: 'email',
      details: { email: 'duplicate_record' },
      silentOn: [email, kycLink],
    })
    const { apiKey } = await world.otherBusiness()
    const third = freshUserId()
    await world.business.call('POST', '/v0/end-users', { externalUserId: third, email }, { key: apiKey })
    // Of another business's end-user nobody learns that it exists.
    assertError(await links(third, apiKey), 422, 'provider_rejected', {
      silentOn: [email, 'duplicate_record', 'already'],
      param: null,
    })
  })

  test('200 a link that ends at somebody else’s customer changes nothing for its holder', async () => {
    const email = `${freshUserId()}@example.com`
    const holder = await newUserWith({ email })
    const { kycLink, tosLink } = dataOf(await links(holder))
    const other = await newUserWith({})
    dataOf(await submit(other, { ...kycBody(randomUUID(), other), email }))
    await reaches(other, 'approved')
    await acceptTermsPage(tosLink)
    await request('POST', kycLink, { outcome: 'approve' })
    const { id } = await read(holder)
    const shown = dataOf(await links(holder))
    assert.deepEqual([shown.kycStatus, shown.rejectionReasons], ['not_started', []])
    assert.equal((await read(holder)).providerCustomerId, null)
    const quarantined = await world.rows`
        select 1 from event_work w join events e on e.id = w.event_id
        where e.end_user_id = ${id} and w.state = 'quarantined'`
    assert.equal(quarantined.length, 0)
  })
})

test('404 an end-user that does not exist, or is of another business: one answer, and nothing is made upstream', async () => {
  const user = await world.business.user()
  const { apiKey } = await world.otherBusiness()
  const before = await world.provider.counts()
  const [absent, foreign] = [await links(freshUserId(), apiKey), await links(user, apiKey)]
  const { resolution } = assertError(absent, 404, 'holder_not_found', { param: 'externalUserId' })
  assert.match(resolution, /POST \/v0\/end-users/)
  assertSameAnswer(foreign, absent)
  assert.deepEqual(await world.provider.counts(), before)
})

test('400 an identifier in the path that no end-user can have', async () => {
  for (const user of ['x'.repeat(129), 'canary\u0000']) {
    assertError(await links(user), 400, 'invalid_path', { param: 'externalUserId', silentOn: ['canary', 'xxx'] })
  }
})

test('422 an address that the provider refuses, without repeating it', async () => {
  const user = await world.business.user()
  const body = {
    code: 'invalid_parameters',
    message: 'canary',
    source: { location: 'body', key: { email: `${user}@example.com is not deliverable` } },
  }
  await world.provider.fails({ ...linkCreation, mode: 'status', status: 400, body })
  assertError(await links(user), 422, 'provider_rejected', {
    param: 'email',
    silentOn: [`${user}@`, 'canary', 'deliverable'],
  })
  assert.notEqual(dataOf(await links(user)).kycLink, null)
})

const codes = {
  500: 'provider_response_unreadable',
  503: 'provider_unavailable',
  504: 'provider_timeout',
} as const

describe('a provider that is away', () => {
  for (const [what, order, status] of [
    ['answers 500', { mode: 'status', status: 500 }, 503],
    ['answers with something that is not its wire', { mode: 'garbage' }, 500],
    ['cuts the connection before the work', { mode: 'cut_before' }, 504],
    ['does the work and cuts the connection', { mode: 'cut_after' }, 504],
    ['never answers', { mode: 'hang' }, 504],
  ] as const) {
    test(`${status} one that ${what} while the link is made: the repeat has it, and there is one`, async () => {
      const user = await world.business.user()
      const before = await world.provider.counts()
      await world.provider.fails({ ...linkCreation, ...order })
      assertError(await links(user), status, codes[status], { silentOn: ['Bad Gateway'], param: null })
      assert.notEqual(dataOf(await links(user)).kycLink, null)
      assert.equal((await world.provider.counts())['kyc_links'], (before['kyc_links'] ?? 0) + 1)
    })
  }

  for (const [mode, status, code] of [
    ['status', 503, 'provider_unavailable'],
    ['hang', 504, 'provider_timeout'],
  ] as const) {
    test(`${status} one that does not tell the customer’s state (${mode}); what we hold stays`, async () => {
      const user = await world.business.user()
      dataOf(await submit(user, kycBody(await world.business.acceptTerms(user), `${user}+review`)))
      await reaches(user, 'under_review')
      const before = await read(user)
      await world.provider.fails({ method: 'GET', path: '^/v0/customers/', mode, status: 500, times: 20 })
      assertError(await links(user), status, code, { param: null })
      assert.deepEqual(await read(user), before)
    })
  }
})

test('200 of two who ask at once nobody fails, and there is one link', async () => {
  const user = await world.business.user()
  const before = await world.provider.counts()
  await world.provider.fails({ ...linkCreation, mode: 'delay', delay_ms: 100 })
  const both = (await Promise.all([links(user), links(user)])).map(dataOf)
  assert.ok(both.some(({ kycLink }) => kycLink !== null))
  assert.notEqual(dataOf(await links(user)).kycLink, null)
  assert.equal((await world.provider.counts())['kyc_links'], (before['kyc_links'] ?? 0) + 1)
})

test('200 a look that finds nothing new changes nothing, and tells nothing', async () => {
  const user = await world.business.user()
  dataOf(await submit(user, kycBody(await world.business.acceptTerms(user), `${user}+reject`)))
  await reaches(user, 'rejected')
  const before = await read(user)
  const told = await world.business.deliveredEvents(user, ['end_user.kyc.updated'])
  dataOf(await links(user))
  assert.deepEqual(await read(user), before)
  assert.equal((await world.business.deliveredEvents(user, [])).length, told.length)
})
