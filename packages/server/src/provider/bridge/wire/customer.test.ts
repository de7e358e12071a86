// Reading a customer of the provider, in every form of its responses.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WireError } from '../../http/fields.ts'
import { readCustomer, readCustomersOfEmail } from './customer.ts'

function customerWith(members: object): unknown {
  return { id: 'cust_1', status: 'active', ...members }
}

function endorsementWith(requirements: object) {
  const members = { complete: [], pending: [], missing: null, issues: [], ...requirements }
  const customer = readCustomer(
    customerWith({ endorsements: [{ name: 'base', status: 'incomplete', requirements: members }] }),
  )
  const [endorsement] = customer.endorsements
  assert.ok(endorsement)
  return endorsement
}

test('a customer is read into domain words', () => {
  const customer = readCustomer({
    id: 'cust_1',
    type: 'individual',
    first_name: 'John',
    last_name: null,
    status: 'under_review',
    has_accepted_terms_of_service: true,
    client_reference_id: 'eu_1',
    updated_at: '2026-01-02T03:04:05.678Z',
    endorsements: [],
    rejection_reasons: [],
  })
  assert.deepEqual(customer, {
    id: 'cust_1',
    status: 'under_review',
    type: 'individual',
    hasAcceptedTos: true,
    endorsements: [],
    rejectionReasons: [],
    clientReferenceId: 'eu_1',
    createdAtMs: null,
    updatedAtMs: Date.UTC(2026, 0, 2, 3, 4, 5, 678),
  })
})

test('undeclared, null and absent members are no obstacle', () => {
  const customer = readCustomer(customerWith({ last_name: null, endorsements: null, rejection_reasons: null }))
  assert.equal(customer.type, null)
  assert.equal(customer.hasAcceptedTos, false)
  assert.deepEqual(customer.endorsements, [])
  assert.deepEqual(customer.rejectionReasons, [])
})

test('statuses, rails and endorsement names that are new to us are kept as they came', () => {
  const endorsements = [{ name: 'pix_onramp', status: 'half_way' }]
  const customer = readCustomer(customerWith({ status: 'deposits_restricted', endorsements }))
  assert.equal(customer.status, 'deposits_restricted')
  assert.equal(customer.endorsements[0]?.name, 'pix_onramp')
  assert.equal(customer.endorsements[0]?.status, 'half_way')
})

test('missing requirements are flattened out of nested all_of and any_of', () => {
  const missing = {
    all_of: ['address_of_residence', { any_of: ['first_name', { all_of: ['last_name', 'first_name'] }] }],
  }
  assert.deepEqual(endorsementWith({ missing }).missing, ['address_of_residence', 'first_name', 'last_name'])
  assert.deepEqual(endorsementWith({ missing: { any_of: ['a'] } }).missing, ['a'])
  assert.deepEqual(endorsementWith({ missing: null }).missing, [])
  assert.deepEqual(endorsementWith({ missing: {} }).missing, [])
})

test('what is missing may be one bare name', () => {
  assert.deepEqual(endorsementWith({ missing: 'proof_of_address' }).missing, ['proof_of_address'])
  assert.deepEqual(endorsementWith({ missing: { all_of: 'proof_of_address' } }).missing, ['proof_of_address'])
})

test('what is open of a person of a company is told by the person, and not of the company', () => {
  const open = endorsementWith({
    complete: ['business_name', { associated_person: 'ap_1', items: ['first_name', 'last_name'] }],
    pending: [{ associated_person: 'ap_1', items: ['pep_screen'] }],
    missing: {
      all_of: ['is_dao', { associated_person: 'ap_2', items: ['proof_of_address', { any_of: ['has_title'] }] }],
    },
    issues: [{ associated_person: 'ap_1', items: ['id_expired', { document: 'document_expired' }] }],
  })
  assert.deepEqual(open.complete, ['business_name', 'first_name', 'last_name'])
  assert.deepEqual([open.pending, open.missing, open.issues], [[], ['is_dao'], []])
  const issues = [
    { requirement: 'id_expired', code: 'id_expired' },
    { requirement: 'document', code: 'document_expired' },
  ]
  assert.deepEqual(
    open.people.toSorted((one, other) => one.id.localeCompare(other.id)),
    [
      { id: 'ap_1', pending: ['pep_screen'], missing: [], issues },
      { id: 'ap_2', pending: [], missing: ['proof_of_address', 'has_title'], issues: [] },
    ],
  )
})

test('an issue is a bare code, a requirement with its code, or a list of either', () => {
  const issues = ['blocklist_check_failed', { id_front_photo: 'id_expired' }, [['a'], { b: ['c', 'd'] }]]
  assert.deepEqual(endorsementWith({ issues }).issues, [
    { requirement: 'blocklist_check_failed', code: 'blocklist_check_failed' },
    { requirement: 'id_front_photo', code: 'id_expired' },
    { requirement: 'a', code: 'a' },
    { requirement: 'b', code: 'c' },
    { requirement: 'b', code: 'd' },
  ])
})

test('what will be asked for is read with its date, and a stage that asks for nothing is none', () => {
  const future_requirements = [
    {
      effective_date: '2027-01-01',
      verification_stage: 'automatic_review',
      pending: ['pep_screen'],
      missing: 'proof_of_address',
      issues: [],
    },
    { effective_date: '2027-02-01', verification_stage: 'not_applicable', pending: [], missing: null, issues: [] },
  ]
  const endorsements = [{ name: 'base', status: 'approved', future_requirements }]
  assert.deepEqual(readCustomer(customerWith({ endorsements })).endorsements[0]?.future, [
    { effectiveDate: '2027-01-01', pending: ['pep_screen'], missing: ['proof_of_address'], issues: [] },
  ])
})

test('an endorsement of the older form names its missing requirements in additional_requirements', () => {
  const endorsements = [{ name: 'sepa', status: 'incomplete', additional_requirements: ['tos_v2_acceptance'] }]
  assert.deepEqual(readCustomer(customerWith({ endorsements })).endorsements[0]?.missing, ['tos_v2_acceptance'])
})

test('only the reason is taken from a rejection, once each, and never the developer reason', () => {
  const reason = 'Cannot validate ID -- upload a clear photo of the full ID'
  const rejection_reasons = [
    { developer_reason: 'Blurry face portrait.', reason },
    { developer_reason: 'Missing required ID details.', reason },
    { developer_reason: 'Secret.' },
  ]
  const customer = readCustomer(customerWith({ rejection_reasons }))
  assert.deepEqual(customer.rejectionReasons, [reason])
  assert.ok(!JSON.stringify(customer).includes('Blurry'))
})

test('a customer without id or status is not one', () => {
  for (const body of [{ status: 'active' }, { id: 'cust_1' }, { id: '', status: 'active' }, [], null, 'cust_1'])
    assert.throws(() => readCustomer(body), WireError)
})

test('nesting deeper than any documented form ends instead of exhausting the stack', () => {
  const deep = JSON.parse(`${'{"all_of":['.repeat(50_000)}"a"${']}'.repeat(50_000)}`)
  assert.deepEqual(endorsementWith({ missing: deep }).missing, [])
  const deepIssue = JSON.parse(`${'{"items":['.repeat(50_000)}"a"${']}'.repeat(50_000)}`)
  assert.deepEqual(endorsementWith({ issues: [deepIssue] }).issues, [])
})

test('a search by email never returns a customer of another address', () => {
  const found = readCustomersOfEmail(
    {
      data: [
        { id: 'cust_1', status: 'active', email: 'Ann@Example.com' },
        { id: 'cust_2', status: 'active', email: 'bob@example.com' },
      ],
    },
    'ann@example.com',
  )
  assert.deepEqual(
    found.map((customer) => customer.id),
    ['cust_1'],
  )
})
