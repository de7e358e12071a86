// submitKyc: what each verdict of the provider means to the end-user, and the way on from there.

import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { assertError, dataOf, until } from '../caller.ts'
import { kycBody, userPath } from '../people.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()
after(() => world.stop())

const submit = (user: string, body: unknown) => world.business.call('POST', userPath(user, '/submit-kyc'), body)
const read = async (user: string) => dataOf(await world.business.call('GET', userPath(user)))
const linksOf = async (user: string) => dataOf(await world.business.call('GET', userPath(user, '/kyc-links')))

/** Submits with an email address whose suffix decides the verdict, and waits for it. */
async function judged(suffix: string, kycStatus: string): Promise<{ user: string; body: Record<string, unknown> }> {
  const user = await world.business.user()
  const body = kycBody(await world.business.acceptTerms(user), `${user}+${suffix}`)
  assert.equal(dataOf(await submit(user, body)).kycStatus, 'under_review')
  await reaches(user, kycStatus)
  return { user, body }
}

/** Decides by hand, as a compliance officer would. */
async function decide(user: string, decision: string, kycStatus: string, reason?: string): Promise<void> {
  const { providerCustomerId } = await read(user)
  const ruling = { decision, ...(reason === undefined ? {} : { reason }) }
  const answer = await world.provider.control('POST', `/customers/${providerCustomerId}/kyc`, ruling)
  assert.equal(answer.status, 200, answer.text)
  await reaches(user, kycStatus)
}

async function reaches(user: string, kycStatus: string): Promise<void> {
  await until(`${kycStatus} of ${user}`, async () => (await read(user)).kycStatus === kycStatus)
}

async function assertNotSubmittable(user: string, body: unknown, kycStatus: string, action: string): Promise<void> {
  const { details, resolution } = assertError(await submit(user, body), 422, 'kyc_not_resubmittable', {
    param: 'kycStatus',
    details: { kycStatus, nextAction: action },
  })
  assert.equal(details.length, 2)
  assert.ok(resolution.includes(`GET ${userPath(user)}`), resolution)
}

/** The provider's response from now on to a read of this customer. */
const reading = (id: string) => ({ method: 'GET', path: `${id}$`, mode: 'status', status: 200, times: 50 })

const rails = (status: string) => ({
  usd: status,
  eur: status,
  mxn: status,
  brl: 'inactive',
  gbp: 'inactive',
  cop: 'inactive',
})
const nothingOpen = { currentlyDue: [], pendingReview: [], errors: [], associatedPersons: [], future: [] }

test('200 approved: every rail asked for is active and nothing is left to do', async () => {
  const user = await world.business.user('approved')
  const shown = await read(user)
  assert.equal(shown.providerStatus, 'active')
  assert.deepEqual(shown.rails, rails('active'))
  assert.deepEqual(shown.requirements, nothingOpen)
  assert.deepEqual(shown.nextAction, { kind: 'none' })
})

test('200 rejected: the reason for the end-user is shown, the one for developers never, and a better paper helps', async () => {
  const { user, body } = await judged('reject', 'rejected')
  await decide(user, 'reject', 'rejected', 'developer canary')
  const shown = await read(user)
  assert.equal(shown.providerStatus, 'rejected')
  assert.deepEqual(shown.rails, rails('inactive'))
  assert.deepEqual(shown.nextAction, { kind: 'resubmit_kyc', fields: ['identifying_information'] })
  const links = await linksOf(user)
  assert.deepEqual(links.rejectionReasons, ['Cannot validate ID -- upload a clear photo of the full ID'])
  assert.deepEqual(links.nextAction, shown.nextAction)
  const seen = JSON.stringify([shown, links, await world.business.deliveredEvents(user, ['end_user.kyc.updated'])])
  for (const hidden of ['developer', 'canary', 'Missing required ID details']) assert.ok(!seen.includes(hidden), hidden)

  const resubmitted = dataOf(await submit(user, { ...body, email: `${user}@example.com` }))
  assert.equal(resubmitted.kycStatus, 'under_review')
  assert.deepEqual((await linksOf(user)).rejectionReasons, [])
  await reaches(user, 'approved')
})

test('422 rejected for good: nothing can be corrected, so nothing more is sent', async () => {
  const { user, body } = await judged('reject', 'rejected')
  const { providerCustomerId } = await read(user)
  const customer = {
    id: providerCustomerId,
    type: 'individual',
    status: 'rejected',
    has_accepted_terms_of_service: true,
    endorsements: [
      {
        name: 'base',
        status: 'incomplete',
        requirements: { complete: [], pending: [], missing: null, issues: ['blocklist_check_failed'] },
      },
    ],
    rejection_reasons: [{ developer_reason: 'canary', reason: 'Cannot accept provided ID', created_at: '2026-01-01' }],
  }
  await world.provider.fails({ ...reading(providerCustomerId), body: customer })
  const links = await linksOf(user)
  assert.deepEqual(links.rejectionReasons, ['Cannot accept provided ID'])
  assert.deepEqual(links.nextAction, { kind: 'contact_support' })
  assert.equal(links.kycLink, null)
  const [error] = links.requirements.errors
  assert.deepEqual([error.code, error.resubmittable], ['blocklist_check_failed', false])
  assert.notEqual(error.reason, '')
  await assertNotSubmittable(user, body, 'rejected', 'contact_support')
  await world.provider.recovers()
})

test('200 in review: the provider looks, and the end-user waits', async () => {
  const { user } = await judged('review', 'under_review')
  const shown = await read(user)
  assert.deepEqual(shown.rails, rails('pending'))
  assert.deepEqual(shown.requirements.currentlyDue, [])
  assert.equal(shown.nextAction.kind, 'wait')
  await decide(user, 'approve', 'approved')
})

test('200 a document is asked for: the reason is readable, and sending it again leads to approval', async () => {
  const { user, body } = await judged('document', 'action_required')
  const shown = await read(user)
  assert.equal(shown.providerStatus, 'incomplete')
  assert.deepEqual(shown.rails, rails('action_required'))
  const [error] = shown.requirements.errors
  assert.deepEqual(
    { ...error, reason: '' },
    { requirement: 'id_front_photo', code: 'id_expired', reason: '', resubmittable: true },
  )
  assert.match(error.reason, /expired/)
  assert.deepEqual(shown.nextAction, { kind: 'resubmit_kyc', fields: ['identifying_information'] })
  const resubmitted = dataOf(await submit(user, { identifying_information: body['identifying_information'] }))
  assert.equal(resubmitted.kycStatus, 'under_review')
  assert.deepEqual(resubmitted.requirements.errors, [])
  await reaches(user, 'approved')
})

test('200 data is missing: what is due is listed with the fields to send, and is replaced, not merged', async () => {
  const user = await world.business.user()
  const {
    identifying_information: papers,
    birth_date: birthDate,
    ...partly
  } = kycBody(await world.business.acceptTerms(user), user)
  const first = dataOf(await submit(user, partly))
  assert.equal(first.kycStatus, 'action_required')
  assert.deepEqual(first.rails, rails('action_required'))
  assert.deepEqual(first.requirements.currentlyDue.toSorted(), ['date_of_birth', 'tax_identification_number'])
  assert.equal(first.nextAction.kind, 'resubmit_kyc')
  assert.deepEqual(first.nextAction.fields.toSorted(), ['birth_date', 'identifying_information'])
  const second = dataOf(await submit(user, { birth_date: birthDate }))
  assert.deepEqual(second.requirements.currentlyDue, ['tax_identification_number'])
  const third = dataOf(await submit(user, { identifying_information: papers }))
  assert.deepEqual(third.requirements.currentlyDue, [])
  assert.equal(third.kycStatus, 'under_review')
  assert.equal(third.providerCustomerId, first.providerCustomerId)
  await reaches(user, 'approved')
})

test('200 a provider that names one missing thing barely, and issues in lists, leaves nobody waiting', async () => {
  await world.provider.control('POST', '/behaviour', { requirements_bare: true })
  const user = await world.business.user()
  const { birth_date: birthDate, ...partly } = kycBody(await world.business.acceptTerms(user), `${user}+document`)
  const first = dataOf(await submit(user, partly))
  assert.deepEqual(first.requirements.currentlyDue, ['date_of_birth'])
  assert.deepEqual(first.nextAction, { kind: 'resubmit_kyc', fields: ['birth_date'] })
  dataOf(await submit(user, { birth_date: birthDate }))
  const shown = await until('the issue', async () => {
    const user_ = await read(user)
    return user_.requirements.errors.length > 0 ? user_ : null
  })
  assert.deepEqual(shown.requirements.errors[0].code, 'id_expired')
  assert.deepEqual(shown.nextAction, { kind: 'resubmit_kyc', fields: ['identifying_information'] })
  await world.provider.control('POST', '/behaviour', { requirements_bare: false })
})

describe('an end-user whom the provider has stopped', () => {
  test('422 paused: the end-user waits, a submission is refused with the next action, and it can go on later', async () => {
    const { user, body } = await judged('paused', 'paused')
    const shown = await read(user)
    assert.deepEqual(shown.rails, rails('inactive'))
    assert.equal(shown.nextAction.kind, 'wait')
    await assertNotSubmittable(user, body, 'paused', 'wait')
    await decide(user, 'approve', 'approved')
    assert.deepEqual((await read(user)).rails, rails('active'))
  })

  test('422 offboarded: the rails are revoked, and only support can help', async () => {
    const user = await world.business.user('approved')
    await decide(user, 'offboard', 'offboarded')
    const shown = await read(user)
    assert.deepEqual(shown.rails, rails('revoked'))
    assert.equal(shown.nextAction.kind, 'contact_support')
    await assertNotSubmittable(user, kycBody(null, user), 'offboarded', 'contact_support')
  })
})

test('200 a rail that is revoked leaves the end-user approved, and says so', async () => {
  const user = await world.business.user('approved')
  const { providerCustomerId } = await read(user)
  const ruling = { decision: 'revoke_endorsement', endorsement: 'sepa' }
  await world.provider.control('POST', `/customers/${providerCustomerId}/kyc`, ruling)
  const shown = await until('the revocation', async () => {
    const user_ = await read(user)
    return user_.rails.eur === 'revoked' ? user_ : null
  })
  assert.equal(shown.kycStatus, 'approved')
  assert.deepEqual(shown.rails, {
    usd: 'active',
    eur: 'revoked',
    mxn: 'active',
    brl: 'inactive',
    gbp: 'inactive',
    cop: 'inactive',
  })
})

test('200 a status that is new to us is kept raw, and what we held stays', async () => {
  const { user } = await judged('review', 'under_review')
  const { providerCustomerId } = await read(user)
  const customer = { id: providerCustomerId, status: 'enhanced_due_diligence', endorsements: [] }
  await world.provider.fails({ ...reading(providerCustomerId), body: customer })
  assert.equal((await linksOf(user)).kycStatus, 'under_review')
  assert.equal((await read(user)).providerStatus, 'enhanced_due_diligence')
  await world.provider.recovers()
})

test('200 one who is approved may send more, and stays approved', async () => {
  const user = await world.business.user('approved')
  const shown = dataOf(await submit(user, { phone: '+12223334445' }))
  assert.equal(shown.kycStatus, 'approved')
  assert.deepEqual(shown.rails, rails('active'))
})
