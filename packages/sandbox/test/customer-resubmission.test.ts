// Questions to a customer after the first check: each names its requirements by their wire names, stays open until they
// are supplied, and then ends in an approval.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import type { Resource } from './answers.ts'
import {
  accountBody,
  associatedPerson,
  business,
  customerIn,
  deposit,
  type Fields,
  individual,
  openAccount,
  pngUri,
} from './people.ts'
import { type Sandbox, startSandbox } from './sandbox.ts'

const questionnaire = {
  account_purpose: 'receive_salary',
  employment_status: 'employed',
  expected_monthly_payments_usd: '0_4999',
  most_recent_occupation: '132011',
  acting_as_intermediary: false,
  source_of_funds: 'salary',
}
const passport = {
  identifying_information: [{ type: 'passport', issuing_country: 'USA', image_front: pngUri(400, 300) }],
}

describe('resubmission', () => {
  let sandbox: Sandbox
  before(async () => {
    sandbox = await startSandbox({ kycDecisionMs: 20 })
  })
  after(() => sandbox.stop())

  const create = async (body: Fields): Promise<Resource> => {
    const created = await sandbox.wire('POST', '/customers', { body })
    assert.equal(created.status, 201, JSON.stringify(created.body))
    return created.body
  }
  const decide = (id: string, body: Fields) => sandbox.control('POST', `/customers/${id}/kyc`, { body })
  const put = async (id: string, body: Fields): Promise<Resource> =>
    (await sandbox.wire('PUT', `/customers/${id}`, { body })).body
  const base = (customer: Resource) => {
    const endorsement = customer.endorsements.find(({ name }) => name === 'base')
    assert.ok(endorsement)
    return endorsement
  }
  const email = (suffix: string) => `someone-${randomUUID()}+${suffix}@example.com`

  test('rejected first, approved after new identifying information', async () => {
    const { id } = await create(individual({ email: email('reject') }))
    const rejected = await customerIn(sandbox, id, 'rejected')
    assert.deepEqual(base(rejected).requirements.issues, ['government_id_verification_failed'])
    assert.equal((await put(id, { first_name: 'Augusta' })).status, 'rejected', 'a new name is no new evidence')
    const resubmitted = await put(id, passport)
    assert.equal(resubmitted.status, 'under_review')
    assert.deepEqual(resubmitted.rejection_reasons, [])
    const approved = await customerIn(sandbox, id, 'active')
    assert.deepEqual(base(approved).requirements.issues, [])
  })

  test('an approved customer who is rejected later gets the endorsements back after resubmitting', async () => {
    const { id } = await create(individual())
    await customerIn(sandbox, id, 'active')
    const { body: rejected } = await decide(id, { decision: 'reject', reason: 'Photo of a cat' })
    assert.deepEqual(
      [base(rejected).status, rejected.rejection_reasons[0]?.developer_reason],
      ['revoked', 'Photo of a cat'],
    )
    assert.equal((await put(id, passport)).status, 'under_review')
    const approved = await customerIn(sandbox, id, 'active')
    assert.ok(approved.endorsements.every(({ status }) => status === 'approved'))
  })

  test('a document asked of an approved customer withholds the endorsements until it is handed in', async () => {
    const { id } = await create(individual())
    await customerIn(sandbox, id, 'active')
    const { body: asked } = await decide(id, { decision: 'request_document' })
    assert.deepEqual([asked.status, base(asked).status], ['incomplete', 'incomplete'])
    assert.deepEqual(base(asked).requirements.issues, [{ id_front_photo: 'id_expired' }])
    assert.equal((await put(id, { middle_name: 'King' })).status, 'incomplete')
    assert.equal((await put(id, passport)).status, 'under_review')
    await customerIn(sandbox, id, 'active')
  })

  for (const way of ['by command', 'by the magic e-mail'] as const) {
    test(`a questionnaire is awaited ${way} until its fields are there`, async () => {
      const isMagic = way === 'by the magic e-mail'
      const { id } = await create(individual({ ...questionnaire, ...(isMagic && { email: email('questionnaire') }) }))
      if (!isMagic) await decide(id, { decision: 'request_questionnaire' })
      const asked = await customerIn(sandbox, id, 'awaiting_questionnaire')
      const wanted = ['source_of_funds_questionnaire', 'sof_individual_primary_purpose']
      assert.deepEqual(base(asked).requirements.missing, { all_of: wanted }, 'what was given before does not count')
      const { account_purpose, ...rest } = questionnaire
      const half = await put(id, { account_purpose })
      assert.equal(half.status, 'awaiting_questionnaire')
      assert.deepEqual(base(half).requirements.missing, { all_of: ['source_of_funds_questionnaire'] })
      const answered = await put(id, rest)
      assert.equal(answered.status, 'under_review')
      assert.equal(base(answered).requirements.missing, null)
      const approved = await customerIn(sandbox, id, 'active')
      assert.ok(base(approved).requirements.complete.includes('source_of_funds_questionnaire'))
    })

    test(`the owners of a business are awaited ${way} until they are named`, async () => {
      const isMagic = way === 'by the magic e-mail'
      const { id } = await create(business(isMagic ? { email: email('ubo') } : {}))
      if (!isMagic) await decide(id, { decision: 'request_ubo' })
      const asked = await customerIn(sandbox, id, 'awaiting_ubo')
      assert.deepEqual(base(asked).requirements.missing, { all_of: ['associated_person_relationship'] })
      assert.equal((await put(id, { source_of_funds: 'grants' })).status, 'awaiting_ubo')
      const path = `/customers/${id}/associated_persons`
      assert.equal((await sandbox.wire('POST', path, { body: associatedPerson() })).status, 201)
      await customerIn(sandbox, id, 'active')
      const { body: events } = await sandbox.control('GET', '/events')
      const statuses = events.data
        .filter((event) => event.event_object_id === id)
        .map((event) => event.event_object_status)
      assert.deepEqual(statuses.slice(statuses.indexOf('awaiting_ubo')).slice(-2), ['under_review', 'active'])
    })
  }

  test('the questionnaire of a business asks for its purpose and its funds', async () => {
    const { id } = await create(business())
    await decide(id, { decision: 'request_questionnaire' })
    assert.equal((await put(id, { account_purpose: 'payroll' })).status, 'awaiting_questionnaire')
    const answers = { account_purpose: 'payroll', source_of_funds: 'owners_capital' }
    assert.equal((await put(id, answers)).status, 'under_review')
    await customerIn(sandbox, id, 'active')
  })

  test('a request that is answered while other data is missing leads to incomplete, not to an approval', async () => {
    const { id } = await create(individual({ birth_date: undefined }))
    await decide(id, { decision: 'request_questionnaire' })
    const answered = await put(id, questionnaire)
    assert.deepEqual(
      [answered.status, base(answered).requirements.missing],
      ['incomplete', { all_of: ['date_of_birth'] }],
    )
    assert.equal((await put(id, { birth_date: '1990-01-15' })).status, 'under_review')
  })

  test('owners are asked of a business only, and the magic e-mail of an individual asks for none', async () => {
    const { id } = await create(individual({ email: email('ubo') }))
    await customerIn(sandbox, id, 'active')
    const refused = await decide(id, { decision: 'request_ubo' })
    assert.deepEqual([refused.status, refused.body.code], [400, 'wrong_customer_type'])
  })

  for (const [suffix, status] of [
    ['paused', 'paused'],
    ['offboard', 'offboarded'],
    ['restricted', 'deposits_restricted'],
  ] as const) {
    test(`+${suffix} leads to ${status}, which stays whatever is submitted`, async () => {
      const { id } = await create(individual({ email: email(suffix) }))
      await customerIn(sandbox, id, status)
      assert.equal((await put(id, { ...passport, ...questionnaire })).status, status)
      assert.equal((await decide(id, { decision: 'approve' })).body.status, 'active')
    })
  }

  for (const decision of ['request_questionnaire', 'request_document', 'review']) {
    test(`a rejection is taken back by ${decision}, and an approval follows`, async () => {
      const { id } = await create(individual())
      await customerIn(sandbox, id, 'active')
      await decide(id, { decision: 'reject' })
      const { body: asked } = await decide(id, { decision })
      assert.deepEqual(asked.rejection_reasons, [])
      assert.equal(base(asked).status, 'incomplete')
      if (decision === 'review') await decide(id, { decision: 'approve' })
      else await put(id, { ...passport, ...questionnaire })
      const approved = await customerIn(sandbox, id, 'active')
      assert.ok(approved.endorsements.every(({ status }) => status === 'approved'))
    })
  }

  test('a manual review stays when a customer with endorsements supplies more', async () => {
    const { id } = await create(individual())
    await customerIn(sandbox, id, 'active')
    await decide(id, { decision: 'review' })
    assert.equal((await put(id, passport)).status, 'under_review')
  })

  test('restricted deposits are refused on every account and allowed again after an approval', async () => {
    const account = await openAccount(sandbox)
    const customerId = account.customer_id ?? ''
    const { body: restricted } = await decide(customerId, { decision: 'restrict_deposits' })
    assert.deepEqual([restricted.status, base(restricted).status], ['deposits_restricted', 'approved'])
    const path = `/virtual_accounts/${account.id}/deposits`
    const refused = await sandbox.control('POST', path, { body: { amount: '5.00' } })
    assert.deepEqual([refused.status, refused.body.code], [409, 'deposits_restricted'])
    const opened = await sandbox.wire('POST', `/customers/${customerId}/virtual_accounts`, { body: accountBody('usd') })
    assert.deepEqual([opened.status, opened.body.code], [400, 'requires_active_kyc_status'])
    await decide(customerId, { decision: 'approve' })
    await deposit(sandbox, account, { amount: '5.00' })
  })

  test('each change of status is one event that names the old and the new one', async () => {
    const { id } = await create(individual({ email: email('questionnaire') }))
    await customerIn(sandbox, id, 'awaiting_questionnaire')
    await put(id, questionnaire)
    await customerIn(sandbox, id, 'active')
    const { body } = await sandbox.control('GET', '/events')
    const ours = body.data.filter(({ event_object_id }) => event_object_id === id)
    assert.deepEqual(
      ours.flatMap(({ event_object_changes: { status } }) => (status === undefined ? [] : [status])),
      [
        ['under_review', 'awaiting_questionnaire'],
        ['awaiting_questionnaire', 'under_review'],
        ['under_review', 'active'],
      ],
    )
  })
})
