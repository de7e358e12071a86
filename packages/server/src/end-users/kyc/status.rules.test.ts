// Proves what our view keeps of a standing at the provider, and that each view has one next action.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { issueCodes } from '../../provider/catalogue.rules.ts'
import type { Asks, Standing } from '../../provider/port.ts'
import type { KycStatus, TosStatus } from '../schema.rules.ts'
import { businessFields, individualFields } from './form/fields.rules.ts'
import { explainIssue, hasFinalError, isNotOffered, remedyOfRequirement } from './requirements.rules.ts'
import {
  deriveKyc,
  deriveKycOfPage,
  isResubmittable,
  kycWithoutCustomer,
  maySubmit,
  nextActionOf,
} from './status.rules.ts'

const nowMs = Date.UTC(2026, 0, 9, 12) // a Friday
const links = { nowMs, hasKycPages: true, tosUrl: 'https://tos.example', kycUrl: 'https://kyc.example' }
const kycStatuses: KycStatus[] = [
  'not_started',
  'under_review',
  'approved',
  'rejected',
  'action_required',
  'paused',
  'offboarded',
]
const tosStatuses: TosStatus[] = ['pending', 'approved', 'expired']
const nothingOpen = { currentlyDue: [], pendingReview: [], errors: [], associatedPersons: [], future: [] }

const asking = (asks: Partial<Asks>): Asks => ({ due: [], review: [], wrong: [], ...asks })

type Told = Partial<Omit<Standing, 'asks'>> & { asks?: Partial<Asks> }

function standing(verdict: Standing['verdict'], { asks = {}, ...told }: Told = {}): Standing {
  return {
    id: 'c1',
    reference: null,
    verdict,
    pause: null,
    rails: () => ({}),
    hasAcceptedTerms: true,
    asks: asking(asks),
    people: [],
    later: [],
    reasons: [],
    createdAtMs: null,
    asOfMs: null,
    status: `raw ${verdict}`,
    ...told,
  }
}

const held = { kycStatus: 'under_review', tosStatus: 'approved' } as const
const viewOf = (verdict: Standing['verdict'], told?: Told) => deriveKyc(held, standing(verdict, told))

test('an unknown provider status keeps the status held before, is kept itself, and opens no rail', () => {
  const rails: Standing['rails'] = (verdict) => ({ usd: verdict === 'approved' ? 'active' : 'pending' })
  for (const kycStatus of kycStatuses) {
    const view = deriveKyc({ ...held, kycStatus }, standing('unknown', { rails }))
    assert.deepEqual([view.kycStatus, view.providerStatus, view.rails.usd], [kycStatus, 'raw unknown', 'pending'])
  }
  assert.equal(viewOf('approved', { rails }).rails.usd, 'active')
  const counted: string[] = []
  const noting = standing('unknown', {
    rails(status) {
      counted.push(status)
      return {}
    },
  })
  for (const kycStatus of ['rejected', 'approved'] as const) deriveKyc({ ...held, kycStatus }, noting)
  assert.deepEqual(counted, ['rejected', 'under_review'])
})

test('a verdict replaces the status held before, but nobody goes back to not_started', () => {
  for (const kycStatus of kycStatuses) {
    for (const verdict of kycStatuses.filter((each) => each !== 'not_started'))
      assert.equal(deriveKyc({ ...held, kycStatus }, standing(verdict)).kycStatus, verdict)
    const again = deriveKyc({ ...held, kycStatus }, standing('not_started')).kycStatus
    assert.equal(again, kycStatus === 'approved' ? 'action_required' : kycStatus)
    if (kycStatus === 'approved' || kycStatus === 'not_started') continue
    const inReview = standing('not_started', { asks: { review: ['post_processing'] } })
    assert.equal(deriveKyc({ ...held, kycStatus }, inReview).kycStatus, kycStatus)
  }
  const fresh = { kycStatus: 'not_started', tosStatus: 'approved' } as const
  const submitted = standing('not_started', { asks: { review: ['post_processing'] } })
  assert.equal(deriveKyc(fresh, submitted).kycStatus, 'under_review')
  const reviewed = standing('not_started', { people: [{ id: 'p1', ...asking({ review: ['post_processing'] }) }] })
  assert.equal(deriveKyc(fresh, reviewed).kycStatus, 'under_review', 'a person of a company awaits review')
  for (const asks of [{}, { review: ['post_processing'], due: ['date_of_birth'] }])
    assert.equal(deriveKyc(fresh, standing('not_started', { asks })).kycStatus, 'not_started')
})

test('another submission makes sense unless a stop is for others to settle', () => {
  for (const [verdict, expected] of [
    ['not_started', true],
    ['under_review', true],
    ['approved', true],
    ['action_required', true],
    ['rejected', false],
    ['paused', false],
    ['offboarded', false],
  ] as const)
    assert.equal(maySubmit(viewOf(verdict)), expected, verdict)
})

test('a rail of which the provider says nothing is inactive', () => {
  const { rails } = viewOf('approved', { rails: () => ({ usd: 'active' }) })
  assert.deepEqual(rails, {
    usd: 'active',
    eur: 'inactive',
    mxn: 'inactive',
    brl: 'inactive',
    gbp: 'inactive',
    cop: 'inactive',
  })
})

test('an end-user whose customer is gone is offboarded, no rail is open and nothing is required', () => {
  for (const kycStatus of kycStatuses) {
    for (const tosStatus of tosStatuses) {
      const view = kycWithoutCustomer({ kycStatus, tosStatus })
      assert.deepEqual([view.kycStatus, view.tosStatus, view.providerStatus], ['offboarded', tosStatus, 'deleted'])
      assert.deepEqual(new Set(Object.values(view.rails)), new Set(['inactive']))
      assert.deepEqual(view.requirements, nothingOpen)
    }
  }
})

test('acceptance of the terms is taken from the provider and never taken back', () => {
  for (const tosStatus of tosStatuses)
    for (const [hasAcceptedTerms, expected] of [
      [true, 'approved'],
      [false, tosStatus],
      [null, tosStatus],
    ] as const)
      assert.equal(deriveKyc({ ...held, tosStatus }, standing('approved', { hasAcceptedTerms })).tosStatus, expected)
})

test('only a review ends by itself: any other pause is for a person to settle', () => {
  for (const [pause, kind] of [
    ['review', 'wait'],
    ['deposits_restricted', 'contact_support'],
    [null, 'contact_support'],
  ] as const) {
    const view = viewOf('paused', { pause })
    assert.deepEqual([view.pauseReason, nextActionOf(view, links).kind], [pause, kind])
  }
})

test('a hosted page stands in for a customer, but its approval waits for the customer', () => {
  const pageWith = (verdict: Standing['verdict'], hasAcceptedTerms: boolean | null) =>
    deriveKycOfPage(
      { kycStatus: 'not_started', tosStatus: 'pending' },
      { standing: standing(verdict, { hasAcceptedTerms }) },
    )
  const approved = pageWith('approved', true)
  assert.deepEqual([approved.kycStatus, approved.providerStatus], ['under_review', 'under_review'])
  const unused = pageWith('not_started', null)
  assert.deepEqual([unused.kycStatus, unused.tosStatus, unused.providerStatus], ['not_started', 'pending', null])
  assert.equal(pageWith('rejected', true).providerStatus, 'raw rejected')
})

test('without hosted pages a person has to settle what only such a page asks for', () => {
  const without = { ...links, hasKycPages: false }
  const due = (name: string) => viewOf('action_required', { asks: { due: [name] } })
  for (const view of [due('selfie_verification'), due('a_requirement_of_next_year'), viewOf('action_required')])
    assert.deepEqual(nextActionOf(view, without), { kind: 'contact_support' })
  const approved = viewOf('approved', { rails: () => ({ usd: 'active' }) })
  assert.deepEqual(nextActionOf(approved, { ...without, currency: 'eur' }), { kind: 'contact_support' })
  assert.equal(nextActionOf(due('date_of_birth'), without).kind, 'resubmit_kyc')
})

test('resubmission names the properties to send, each once', () => {
  const view = viewOf('action_required', { asks: { due: ['date_of_birth', 'tax_identification_number'] } })
  assert.deepEqual(nextActionOf(view, links), {
    kind: 'resubmit_kyc',
    fields: ['birth_date', 'identifying_information'],
  })
})

test('a review is expected to end on the next business day, and a date that has passed is not shown', () => {
  const view = viewOf('under_review', { asks: { review: ['post_processing'] } })
  const friday = { ...links, reviewSinceMs: nowMs }
  assert.deepEqual(nextActionOf(view, friday), { kind: 'wait', expectedBy: '2026-01-12T12:00:00.000Z' })
  const saturday = { ...links, reviewSinceMs: Date.UTC(2026, 0, 10, 12) }
  assert.deepEqual(nextActionOf(view, saturday), { kind: 'wait', expectedBy: '2026-01-12T12:00:00.000Z' })
  assert.deepEqual(nextActionOf(view, { ...links, reviewSinceMs: Date.UTC(2026, 0, 6) }), { kind: 'wait' })
})

test('a rejection for a bad photo can be corrected, one without a reason or with a final one cannot', () => {
  const rejectedFor = (...reasons: string[]) => viewOf('rejected', { reasons })
  const photo = rejectedFor('Cannot validate ID -- upload a clear photo of the full ID')
  assert.equal(isResubmittable(photo), true)
  assert.deepEqual(nextActionOf(photo, links), { kind: 'resubmit_kyc', fields: ['identifying_information'] })
  // The provider's pages print the same reason with a dash of another kind.
  assert.equal(isResubmittable(rejectedFor('Cannot validate ID — upload a clear photo of the full ID')), true)
  assert.equal(isResubmittable(rejectedFor('Your information could not be verified')), false)
  assert.equal(isResubmittable(rejectedFor()), false)
  const blocked = viewOf('rejected', {
    asks: { wrong: [{ requirement: 'blocklist_lookup', code: 'blocklist_check_failed' }] },
  })
  assert.equal(isResubmittable({ ...blocked, rejectionReasons: ['ID is expired.'] }), false)
  const { requirements } = blocked
  const ofCompany = {
    ...requirements,
    associatedPersons: [{ id: 'p1', currentlyDue: [], pendingReview: [], errors: [] }],
  }
  assert.equal(isResubmittable({ rejectionReasons: ['ID is expired.'], requirements: ofCompany }), false)
})

test('the documented requirement names and issue codes are all known', () => {
  const issueCodes = `endorsement_not_available_in_customers_region government_id_verification_failed blocklist_check_failed
    database_check_failed_on_address database_check_failed_on_birth_date place_of_birth_missing id_expired document_expired`
  const unknown = explainIssue('next_year', 'next_year').reason
  for (const code of issueCodes.split(/\s+/)) assert.notEqual(explainIssue(code, code).reason, unknown, code)
  const screens =
    'sanctions_screen pep_screen blocklist_lookup adverse_media_screen post_processing kyb_review has_base'
  for (const name of screens.split(' ')) assert.equal(remedyOfRequirement(name).by, 'review', name)
  assert.equal(remedyOfRequirement('constructor').by, 'hosted')
})

test('each issue code of the catalogue has a reason of its own, and a remedy that fits who can clear it', () => {
  const unknown = explainIssue('next_year', 'next_year').reason
  for (const [code, by] of issueCodes) {
    const { reason, remedy } = explainIssue('sanctions_screen', code)
    assert.notEqual(reason, unknown, code)
    assert.ok(by === 'sender' ? ['fields', 'hosted'].includes(remedy.by) : remedy.by === by, code)
    const listed = { requirement: 'sanctions_screen', code }
    assert.deepEqual([isNotOffered(listed), hasFinalError({ errors: [listed] })], [by === 'elsewhere', by === 'nobody'])
  }
  assert.equal(explainIssue('sanctions_screen', 'next_year').remedy.by, 'review')
})

const actionOn = (asks: Partial<Asks>, people: Standing['people'] = []) =>
  nextActionOf(viewOf('action_required', { asks, people }), links)

test('a missing name that is a property of the submission means that property', () => {
  const missing = [
    'place_of_birth',
    'nationalities',
    'account_purpose',
    'employment_status',
    'national_id_number',
    'tax_identification_number',
  ]
  assert.deepEqual(actionOn({ due: missing }).fields, [
    'place_of_birth',
    'nationalities',
    'account_purpose',
    'employment_status',
    'identifying_information',
  ])
  for (const property of [...Object.keys(individualFields), ...Object.keys(businessFields)]) {
    if (property === 'client_reference_id' || property === 'nationality') continue
    const expected = property === 'signed_agreement_id' ? undefined : [property]
    assert.deepEqual(actionOn({ due: [property] }).fields, expected, property)
    assert.deepEqual(actionOn({ wrong: [{ requirement: property, code: 'next_year' }] }).fields, expected, property)
  }
})

test('so do its members, its lack as an issue, and the kinds of papers', () => {
  for (const [name, field] of Object.entries({
    'place_of_birth.city': 'place_of_birth',
    place_of_birth_country: 'place_of_birth',
    nationalities_missing: 'nationalities',
    employment_status_missing: 'employment_status',
    residential_address_postal_code: 'residential_address',
    'associated_persons[0].title': 'associated_persons',
    passport: 'identifying_information',
    ssn_number: 'identifying_information',
    evidence_of_good_standing: 'documents',
    proof_of_signatory_authority: 'documents',
  })) {
    assert.deepEqual(actionOn({ due: [name] }).fields, [field], name)
    assert.deepEqual(actionOn({ wrong: [{ requirement: name, code: name }] }).fields, [field], name)
  }
  for (const name of ['client_reference_id', 'id', 'other', 'constructor', 'place_of_birth_next_year', 'toString'])
    assert.equal(actionOn({ due: [name] }).kind, 'open_link', name)
})

test('what is missing of a person of a company is a property of the person', () => {
  const missing = ['has_title', 'has_control', 'control_person_ownership_attestation', 'place_of_birth', 'is_director']
  const people = [{ id: 'ap_1', ...asking({ due: missing }) }]
  assert.deepEqual(actionOn({}, people).associatedPersons, [
    {
      id: 'ap_1',
      fields: ['title', 'has_control', 'attested_ownership_structure_at', 'place_of_birth', 'is_director'],
    },
  ])
})
