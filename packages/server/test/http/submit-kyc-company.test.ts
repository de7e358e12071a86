// submitKyc of a company: created as a whole, changed in part, and its people by separate writes.

import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { assertError, dataOf, request, until } from '../caller.ts'
import { kycBody, officer, owner, proofOfAddress, userPath } from '../people.ts'
import { openWorld } from '../world.ts'

const world = await openWorld()
after(() => world.stop())

const submit = (user: string, body: unknown, headers: Record<string, string> = {}) =>
  world.business.call('POST', userPath(user, '/submit-kyc'), body, { headers })
const read = async (user: string) => dataOf(await world.business.call('GET', userPath(user)))
const reaches = (user: string, kycStatus: string) =>
  until(`${kycStatus} of ${user}`, async () => {
    const shown = await read(user)
    return shown.kycStatus === kycStatus ? shown : null
  })

/** A company that has been judged. */
async function judged(suffix: string, kycStatus: string) {
  const made = await world.business.company(suffix)
  assert.equal(dataOf(await submit(made.user, made.body)).kycStatus, 'under_review')
  return { ...made, shown: await reaches(made.user, kycStatus) }
}

test('200 with its people and papers it is reviewed and approved; its type need not be repeated', async () => {
  const { user, body } = await world.business.company()
  const { type: _, ...rest } = body
  const shown = dataOf(await submit(user, rest))
  assert.deepEqual([shown.type, shown.kycStatus], ['business', 'under_review'])
  const approved = await reaches(user, 'approved')
  assert.equal(approved.rails.usd, 'active')
  assert.deepEqual(await world.provider.peopleOf(approved.providerCustomerId), [officer.email])
})

test('200 less than a whole company is taken, and what is missing is due', async () => {
  const { user, body } = await world.business.company()
  const { business_type: _, is_dao: __, associated_persons: ___, ...rest } = body
  const shown = dataOf(await submit(user, rest))
  assert.deepEqual(shown.requirements.currentlyDue, ['business_type', 'control_person'])
  assert.deepEqual(shown.nextAction.fields, ['business_type', 'associated_persons'])
})

test('200 without its people these are due, and one who is added completes it', async () => {
  const { user, body } = await world.business.company()
  const shown = dataOf(await submit(user, { ...body, associated_persons: [] }))
  assert.equal(shown.kycStatus, 'action_required')
  assert.deepEqual(shown.requirements.currentlyDue, ['control_person'])
  assert.deepEqual(shown.nextAction, { kind: 'resubmit_kyc', fields: ['associated_persons'] })
  assert.match(dataOf(await submit(user, { associated_persons: [officer] })).kycStatus, /^(under_review|approved)$/)
  const approved = await reaches(user, 'approved')
  assert.deepEqual(await world.provider.peopleOf(approved.providerCustomerId), [officer.email])
})

test('200 a company whose owners are asked for is approved with one more', async () => {
  const { user, shown } = await judged('+ubo', 'action_required')
  assert.equal(shown.providerStatus, 'awaiting_ubo')
  assert.deepEqual(shown.nextAction, { kind: 'resubmit_kyc', fields: ['associated_persons'] })
  dataOf(await submit(user, { associated_persons: [owner] }))
  const approved = await reaches(user, 'approved')
  assert.deepEqual(await world.provider.peopleOf(approved.providerCustomerId), [owner.email, officer.email])
})

test('200 one more document of an owner: told of whom, sent with that person, and the company is approved', async () => {
  const { user, shown } = await judged('+ownerdocument', 'action_required')
  const [{ id, fields }] = shown.nextAction.associatedPersons
  assert.deepEqual(
    [shown.nextAction.kind, shown.nextAction.fields, fields],
    ['resubmit_kyc', ['associated_persons'], ['documents']],
  )
  assert.deepEqual(shown.requirements.associatedPersons[0].currentlyDue, ['proof_of_address'])
  assert.deepEqual(shown.requirements.currentlyDue, [])
  const links = dataOf(await world.business.call('GET', userPath(user, '/kyc-links')))
  assert.deepEqual(links.associatedPersons, [{ id, email: officer.email }])
  const person = { ...officer, id, documents: proofOfAddress() }
  dataOf(await submit(user, { associated_persons: [person] }))
  const approved = await reaches(user, 'approved')
  assert.deepEqual(approved.requirements.associatedPersons, [])
  assert.deepEqual(await world.provider.peopleOf(approved.providerCustomerId), [officer.email])
})

test('200 a part of a company is changed alone, whatever it is', async () => {
  const { user } = await judged('', 'approved')
  const change = { account_purpose: 'payroll', expected_monthly_payments_usd: 7_000, documents: proofOfAddress() }
  assert.equal(dataOf(await submit(user, change)).kycStatus, 'approved')
  dataOf(await submit(user, { business_legal_name: 'Other Inc.', associated_persons: [officer] }))
})

test('200 an agreement with newer terms goes to the provider with the part', async () => {
  const { user } = await judged('', 'approved')
  const { tosLink } = dataOf(await world.business.call('POST', userPath(user, '/tos-link')))
  const agreement = (await request('POST', tosLink, {})).body.signedAgreementId
  dataOf(await submit(user, { signed_agreement_id: agreement }))
  const [row] = await world.rows`select signed_agreement_id from end_users where external_user_id = ${user}`
  assert.equal(row?.['signedAgreementId'], agreement)
})

describe('an account that takes the older form', () => {
  const older = (isOn: boolean) => world.provider.control('POST', '/behaviour', { company_whole: isOn })

  test('200 a part is sent in that form: with a range of payments, and without its type', async () => {
    const { user } = await judged('', 'approved')
    await older(true)
    const change = { account_purpose: 'payroll', expected_monthly_payments_usd: 7_000, documents: proofOfAddress() }
    assert.equal(dataOf(await submit(user, change)).kycStatus, 'approved')
    assert.equal(dataOf(await submit(user, { expected_monthly_payments_usd: '5000_9999' })).kycStatus, 'approved')
    await older(false)
  })

  test('200 an agreement that this form cannot hold is bound to nobody', async () => {
    const { user } = await judged('', 'approved')
    const { id } = dataOf(await world.business.call('GET', userPath(user)))
    const bound = async () => await world.rows`select digest from signed_agreements where end_user_id = ${id}`
    const before = await bound()
    const { tosLink } = dataOf(await world.business.call('POST', userPath(user, '/tos-link')))
    const agreement = (await request('POST', tosLink, {})).body.signedAgreementId
    await older(true)
    dataOf(await submit(user, { signed_agreement_id: agreement, account_purpose: 'payroll' }))
    await older(false)
    assert.deepEqual(await bound(), before)
  })

  test('422 what only a whole company holds names what the provider misses of it', async () => {
    const { user } = await judged('', 'approved')
    await older(true)
    assertError(await submit(user, { business_legal_name: 'Other Inc.' }), 422, 'provider_rejected', {
      param: 'business_trade_name',
      details: { business_trade_name: 'invalid_parameters', is_dao: 'invalid_parameters' },
    })
    await older(false)
  })

  test('422 less than a whole company is not created, and the fields that lack are named', async () => {
    const { user, body } = await world.business.company()
    await older(true)
    const { business_trade_name: _, is_dao: __, ...rest } = body
    assertError(await submit(user, rest), 422, 'provider_rejected', {
      param: 'business_trade_name',
      details: { business_trade_name: 'invalid_parameters', is_dao: 'invalid_parameters' },
    })
    await older(false)
  })
})

test('200 a whole company is taken again, and its people are changed, not added', async () => {
  const { user, body, shown } = await judged('', 'approved')
  const people = [{ ...officer, email: officer.email.toUpperCase(), title: 'Chair' }, owner]
  dataOf(await submit(user, { ...body, business_trade_name: 'Engines', associated_persons: people }))
  const emails = await world.provider.peopleOf(shown.providerCustomerId)
  assert.deepEqual(emails.map((email) => email.toLowerCase()).toSorted(), [owner.email, officer.email])
})

describe('a person whose answer is lost', () => {
  const people = (mode: string) => ({ method: 'POST', path: '/associated_persons$', mode })

  for (const mode of ['cut_after', 'cut_before'])
    test(`504, and the repeat leaves one person (${mode})`, async () => {
      const { user, shown } = await judged('+ubo', 'action_required')
      await world.provider.fails(people(mode))
      const body = { associated_persons: [owner] }
      const key = { 'idempotency-key': `${user}-1` }
      assertError(await submit(user, body, key), 504, 'provider_timeout', { param: null })
      const answer = await until('an answer', async () => {
        const again = await submit(user, body, key)
        return again.status === 409 ? null : again
      })
      dataOf(answer)
      await reaches(user, 'approved')
      assert.deepEqual(await world.provider.peopleOf(shown.providerCustomerId), [owner.email, officer.email])
      await world.provider.recovers()
    })

  test('200 corrected data goes to the person who arrived', async () => {
    const { user, shown } = await judged('+ubo', 'action_required')
    await world.provider.fails(people('cut_after'))
    assertError(await submit(user, { associated_persons: [owner] }), 504, 'provider_timeout', { param: null })
    const corrected = { ...owner, first_name: 'Augusta' }
    await until('an answer', async () => (await submit(user, { associated_persons: [corrected] })).status === 200)
    await reaches(user, 'approved')
    assert.deepEqual(await world.provider.peopleOf(shown.providerCustomerId), [owner.email, officer.email])
    await world.provider.recovers()
  })
})

describe('people who are refused', () => {
  test('400 an id that names nobody of this company, and one e-mail address for two', async () => {
    const { user } = await judged('', 'approved')
    const people = [{ ...officer, id: 'nobody' }, owner, { ...owner, first_name: 'Augusta' }]
    assertError(await submit(user, { associated_persons: people }), 400, 'invalid_kyc_data', {
      param: 'associated_persons[0].id',
      details: { 'associated_persons[0].id': 'invalid_value', 'associated_persons[2].email': 'invalid_value' },
    })
  })

  test('422 what the provider names of a person is told at the place of that person', async () => {
    const { user } = await judged('', 'approved')
    const refusal = { code: 'invalid_parameters', message: 'no', source: { key: { birth_date: 'is not accepted' } } }
    await world.provider.fails({
      method: 'POST',
      path: '/associated_persons$',
      mode: 'status',
      status: 400,
      body: refusal,
    })
    assertError(await submit(user, { associated_persons: [officer, owner] }), 422, 'provider_rejected', {
      param: 'associated_persons[1].birth_date',
      details: { 'associated_persons[1].birth_date': 'invalid_parameters' },
    })
    await world.provider.recovers()
  })

  test('400 a person is checked by the place in the list', async () => {
    const { user, body } = await world.business.company()
    const people = [officer, { ...officer, title: undefined, birth_date: 'canary' }]
    assertError(await submit(user, { ...body, associated_persons: people }), 400, 'invalid_kyc_data', {
      param: 'associated_persons[1].birth_date',
      details: { 'associated_persons[1].birth_date': 'invalid_format', 'associated_persons[1].title': 'missing_field' },
      silentOn: ['canary'],
    })
  })

  test('400 the data of a person is not that of a company', async () => {
    const { user, body } = await world.business.company()
    assertError(await submit(user, kycBody(body.signed_agreement_id, user)), 400, 'invalid_kyc_data', {
      param: 'type',
      details: { type: 'invalid_value' },
    })
  })
})
