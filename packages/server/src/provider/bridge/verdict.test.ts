// Tests that every possible response of Bridge, known or new, gives one status, one state per rail and one next action.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { deriveKyc, isResubmittable, type KycView, nextActionOf } from '../../end-users/kyc/status.rules.ts'
import type { KycStatus, NextAction, TosStatus } from '../../end-users/schema.rules.ts'
import type { FiatCurrency } from '../../platform/values/rails.ts'
import { bridgeOffer } from './offer.ts'
import { standingOf } from './verdict.ts'
import type { ProviderCustomer, ProviderEndorsement } from './wire/types.ts'

const nowMs = Date.UTC(2026, 0, 9, 12) // a Friday
const links = { nowMs, hasKycPages: true, tosUrl: 'https://tos.example', kycUrl: 'https://kyc.example' }
const about = (currency: FiatCurrency | undefined) => ({
  ...links,
  currency,
  endorsements: currency && bridgeOffer.fiat[currency].endorsements,
})
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

type Shape = Partial<Omit<ProviderEndorsement, 'name' | 'status'>>
const shapes = {
  nothing: {},
  done: { complete: ['first_name', 'terms_of_service_v1'] },
  field: { missing: ['date_of_birth', 'tax_identification_number'] },
  terms: { missing: ['terms_of_service_v2', 'date_of_birth'] },
  hosted: { missing: ['selfie_verification'] },
  newWord: { missing: ['a_requirement_of_next_year'] },
  screens: { missing: ['sanctions_screen'] },
  pending: { pending: ['post_processing'] },
  fixable: { issues: [{ requirement: 'id_front_photo', code: 'id_expired' }] },
  final: { issues: [{ requirement: 'blocklist_lookup', code: 'blocklist_check_failed' }] },
  reviewed: { issues: [{ requirement: 'watchlist_report_match', code: 'watchlist_report_match' }] },
  newIssue: { issues: [{ requirement: 'next_year', code: 'next_year' }] },
} satisfies Record<string, Shape>
const nothingOpen = { currentlyDue: [], pendingReview: [], errors: [], associatedPersons: [], future: [] }
type ShapeName = keyof typeof shapes
const shapeNames = Object.keys(shapes) as ShapeName[]

function endorsement(name: string, status: string, shape: Shape = {}): ProviderEndorsement {
  return { name, status, complete: [], pending: [], missing: [], issues: [], people: [], future: [], ...shape }
}

function customer(status: string, endorsements: ProviderEndorsement[], told: Partial<ProviderCustomer> = {}) {
  const defaults = {
    id: 'c1',
    type: 'individual',
    hasAcceptedTos: true,
    rejectionReasons: [],
    clientReferenceId: null,
    createdAtMs: null,
    updatedAtMs: null,
  }
  return standingOf({ ...defaults, status, endorsements, ...told }, bridgeOffer)
}

function viewOf(status: string, shape: ShapeName, previous: KycStatus = 'under_review'): KycView {
  const base = endorsement('base', 'incomplete', shapes[shape])
  return deriveKyc({ kycStatus: previous, tosStatus: 'approved' }, customer(status, [base]))
}

const statusesOf: Partial<Record<KycStatus, string>> = {
  approved: 'active approved',
  action_required: 'incomplete awaiting_questionnaire awaiting_ubo',
  under_review: 'under_review manual_review',
  rejected: 'rejected',
  paused: 'paused deposits_restricted',
  offboarded: 'offboarded',
}
const statusTable = kycStatuses.flatMap((kycStatus) =>
  (statusesOf[kycStatus]?.split(' ') ?? []).map((status) => [status, kycStatus] as const),
)

test('each known provider status has its KYC status, whatever was held before', () => {
  for (const [providerStatus, kycStatus] of statusTable) {
    for (const previous of kycStatuses) {
      const view = deriveKyc({ kycStatus: previous, tosStatus: 'approved' }, customer(providerStatus, []))
      assert.deepEqual([view.kycStatus, view.providerStatus], [kycStatus, providerStatus])
    }
  }
})

test('an unknown provider status keeps the status held before and is kept itself', () => {
  for (const previous of kycStatuses) {
    for (const word of ['a_status_of_next_year', 'constructor', '']) {
      const view = deriveKyc({ kycStatus: previous, tosStatus: 'approved' }, customer(word, []))
      assert.deepEqual([view.kycStatus, view.providerStatus], [previous, word])
    }
  }
})

test('nobody falls back to not_started, and an approval the provider forgot is no approval', () => {
  for (const previous of kycStatuses) {
    const view = deriveKyc({ kycStatus: previous, tosStatus: 'approved' }, customer('not_started', []))
    assert.equal(view.kycStatus, previous === 'approved' ? 'action_required' : previous)
  }
  assert.equal(viewOf('not_started', 'pending', 'not_started').kycStatus, 'under_review')
  assert.equal(viewOf('not_started', 'field', 'not_started').kycStatus, 'not_started')
})

test('acceptance of the terms is taken from the provider and never taken back', () => {
  for (const tosStatus of tosStatuses) {
    const accepted = customer('incomplete', [], { hasAcceptedTos: true })
    const silent = customer('incomplete', [], { hasAcceptedTos: false })
    assert.equal(deriveKyc({ kycStatus: 'under_review', tosStatus }, accepted).tosStatus, 'approved')
    assert.equal(deriveKyc({ kycStatus: 'under_review', tosStatus }, silent).tosStatus, tosStatus)
  }
})

test('each endorsement opens its currency and no other; cards open none', () => {
  const opens = {
    base: 'usd',
    sepa: 'eur',
    spei: 'mxn',
    pix: 'brl',
    pix_onramp: 'brl',
    faster_payments: 'gbp',
    cop: 'cop',
  }
  for (const [name, currency] of Object.entries(opens)) {
    const { rails } = deriveKyc(
      { kycStatus: 'under_review', tosStatus: 'approved' },
      customer('active', [endorsement('cards', 'approved'), endorsement(name, 'approved')]),
    )
    const open = Object.entries(rails).filter(([, status]) => status === 'active')
    assert.deepEqual(open, [[currency, 'active']])
  }
})

test('a rail is active only for an approved end-user of a known status with an approved endorsement: every combination', () => {
  const statuses = [...statusTable.map(([status]) => status), 'not_started', 'a_status_of_next_year']
  for (const status of statuses) {
    for (const endorsed of ['approved', 'incomplete', 'revoked', 'a_word_of_next_year']) {
      for (const shape of shapeNames) {
        for (const previous of kycStatuses) {
          const base = endorsement('base', endorsed, shapes[shape])
          const view = deriveKyc({ kycStatus: previous, tosStatus: 'approved' }, customer(status, [base]))
          const isKnown = status !== 'a_status_of_next_year'
          const expected = view.kycStatus === 'approved' && endorsed === 'approved' && isKnown
          assert.equal(view.rails.usd === 'active', expected, `${status} ${endorsed} ${shape} ${previous}`)
          if (endorsed === 'revoked') assert.equal(view.rails.usd, 'revoked')
        }
      }
    }
  }
})

test('an incomplete endorsement shows as what can be done about it', () => {
  const expected: Record<ShapeName, KycView['rails']['usd']> = {
    nothing: 'pending',
    done: 'pending',
    field: 'action_required',
    terms: 'action_required',
    hosted: 'action_required',
    newWord: 'action_required',
    screens: 'pending',
    pending: 'pending',
    fixable: 'action_required',
    final: 'inactive',
    reviewed: 'pending',
    newIssue: 'action_required',
  }
  for (const shape of shapeNames) assert.equal(viewOf('active', shape).rails.usd, expected[shape], shape)
  assert.equal(viewOf('incomplete', 'nothing').rails.usd, 'action_required')
  assert.equal(viewOf('rejected', 'field').rails.usd, 'inactive')
})

type Kinds = Record<ShapeName, NextAction['kind']>
// Terms accepted, `base` incomplete in each shape: the kind of the next action.
const incomplete: Kinds = {
  nothing: 'open_link',
  done: 'open_link',
  field: 'resubmit_kyc',
  terms: 'accept_tos',
  hosted: 'open_link',
  newWord: 'open_link',
  screens: 'wait',
  pending: 'wait',
  fixable: 'resubmit_kyc',
  final: 'contact_support',
  reviewed: 'wait',
  newIssue: 'open_link',
}
const final = 'contact_support'
const rejected: Kinds = { ...incomplete, nothing: final, done: final, screens: final, pending: final, reviewed: final }
const waiting = Object.fromEntries(shapeNames.map((shape) => [shape, 'wait'])) as Kinds
const actionTable: [string, Kinds][] = [
  ['incomplete', incomplete],
  ['rejected', rejected],
  ['active', { ...incomplete, nothing: 'wait', done: 'wait' }],
  ['under_review', { ...waiting, terms: 'accept_tos' }],
]

test('the next action for each status and each shape of requirements: the table', () => {
  for (const [status, kinds] of actionTable) {
    for (const shape of shapeNames) {
      assert.equal(nextActionOf(viewOf(status, shape), links).kind, kinds[shape], `${status} ${shape}`)
    }
  }
  for (const status of ['awaiting_questionnaire', 'awaiting_ubo']) {
    assert.equal(nextActionOf(viewOf(status, 'nothing'), links).kind, 'open_link')
  }
  for (const shape of shapeNames) {
    assert.equal(nextActionOf(viewOf('paused', shape), links).kind, 'wait')
    assert.equal(nextActionOf(viewOf('deposits_restricted', shape), links).kind, 'contact_support')
    assert.equal(nextActionOf(viewOf('offboarded', shape), links).kind, 'contact_support')
  }
})

test('the walk of a new end-user: accept the terms, submit, wait, done', () => {
  const fresh = deriveKyc(
    { kycStatus: 'not_started', tosStatus: 'pending' },
    customer('not_started', [], { hasAcceptedTos: false }),
  )
  assert.deepEqual(nextActionOf(fresh, links), { kind: 'accept_tos', url: links.tosUrl })
  assert.deepEqual(nextActionOf({ ...fresh, tosStatus: 'expired' }, { nowMs, hasKycPages: true }), {
    kind: 'accept_tos',
  })
  assert.deepEqual(nextActionOf({ ...fresh, tosStatus: 'approved' }, links), { kind: 'submit_kyc' })
  assert.deepEqual(nextActionOf(viewOf('under_review', 'pending'), links), { kind: 'wait' })
  const approved = deriveKyc(
    fresh,
    customer('active', [endorsement('base', 'approved'), endorsement('sepa', 'incomplete', shapes.field)]),
  )
  assert.deepEqual(nextActionOf(approved, links), { kind: 'none' })
})

test('every combination, the unknown words included, has an action that fits its kind', () => {
  const statuses = [...statusTable.map(([status]) => status), 'not_started', 'a_status_of_next_year']
  const endorsements = ['approved', 'incomplete', 'revoked', 'a_word_of_next_year', null]
  for (const status of statuses) {
    for (const endorsed of endorsements) {
      for (const shape of shapeNames) {
        for (const kycStatus of kycStatuses) {
          for (const tosStatus of tosStatuses) {
            const list = endorsed === null ? [] : [endorsement('base', endorsed, shapes[shape])]
            const view = deriveKyc({ kycStatus, tosStatus }, customer(status, list, { hasAcceptedTos: false }))
            for (const currency of [undefined, 'usd', 'eur'] as const) {
              const action = nextActionOf(view, about(currency))
              const label = `${status} ${endorsed} ${shape} ${kycStatus} ${tosStatus} ${currency}: ${action.kind}`
              if (action.kind === 'accept_tos') assert.equal(action.url, links.tosUrl, label)
              else if (action.kind === 'open_link') assert.equal(action.url, links.kycUrl, label)
              else assert.equal(action.url, undefined, label)
              if (action.fields !== undefined)
                assert.ok(action.fields.length > 0 && /submit_kyc/.test(action.kind), label)
              if (action.kind === 'none') assert.equal(view.kycStatus, 'approved', label)
            }
          }
        }
      }
    }
  }
})

test('an approved end-user is told what a certain currency needs', () => {
  const view = deriveKyc(
    { kycStatus: 'under_review', tosStatus: 'approved' },
    customer('active', [
      endorsement('base', 'approved'),
      endorsement('sepa', 'incomplete', { missing: ['proof_of_address_document'] }),
      endorsement('spei', 'revoked'),
    ]),
  )
  const kindFor = (currency: 'usd' | 'eur' | 'mxn' | 'brl') => nextActionOf(view, about(currency))
  assert.deepEqual(kindFor('usd'), { kind: 'none' })
  assert.deepEqual(kindFor('eur'), { kind: 'resubmit_kyc', fields: ['documents'] })
  assert.deepEqual(kindFor('mxn'), { kind: 'contact_support' })
  assert.deepEqual(kindFor('brl'), { kind: 'open_link', url: links.kycUrl })
})

test('requirements are told once, an item under review is not also due, and a closed question is not asked', () => {
  const view = deriveKyc(
    { kycStatus: 'under_review', tosStatus: 'approved' },
    customer('incomplete', [
      endorsement('base', 'incomplete', {
        missing: ['date_of_birth', 'sanctions_screen'],
        pending: ['post_processing'],
      }),
      endorsement('sepa', 'incomplete', { missing: ['date_of_birth'], pending: ['date_of_birth', 'post_processing'] }),
      endorsement('spei', 'approved', { missing: ['selfie_verification'] }),
      endorsement('cards', 'incomplete', { missing: ['card_questionnaire'] }),
    ]),
  )
  assert.deepEqual(view.requirements.currentlyDue, ['date_of_birth'])
  assert.deepEqual(view.requirements.pendingReview, ['post_processing', 'sanctions_screen'])
})

test('requirements are those of the latest answer alone', () => {
  const first = viewOf('incomplete', 'field')
  const second = deriveKyc(first, customer('under_review', [endorsement('base', 'incomplete', shapes.pending)]))
  assert.deepEqual(second.requirements, { ...nothingOpen, pendingReview: ['post_processing'] })
})

test('an issue is explained in a sentence, says whether sending again helps, and appears once', () => {
  const issues = [
    { requirement: 'id_front_photo', code: 'id_expired' },
    { requirement: 'id_front_photo', code: 'id_expired' },
    { requirement: 'base', code: 'customer_not_compatible' },
    { requirement: 'next_year', code: 'next_year' },
  ]
  const both = [endorsement('base', 'incomplete', { issues }), endorsement('sepa', 'incomplete', { issues })]
  const { errors } = deriveKyc(
    { kycStatus: 'under_review', tosStatus: 'approved' },
    customer('incomplete', both),
  ).requirements
  assert.deepEqual(
    errors.map((error) => [error.code, error.resubmittable]),
    [
      ['id_expired', true],
      ['customer_not_compatible', false],
      ['next_year', true],
    ],
  )
  for (const error of errors) assert.match(error.reason, /^[A-Z].*\.$/)
})

test('what is open of a person of a company leads to that person', () => {
  const people = [
    { id: 'ap_1', pending: [], missing: [], issues: [{ requirement: 'id_front_photo', code: 'id_expired' }] },
    { id: 'ap_2', pending: ['pep_screen'], missing: ['proof_of_address', 'sanctions_screen'], issues: [] },
    { id: 'ap_3', pending: ['pep_screen'], missing: [], issues: [] },
  ]
  const view = deriveKyc(
    { kycStatus: 'under_review', tosStatus: 'approved' },
    customer('incomplete', [endorsement('base', 'incomplete', { people })]),
  )
  assert.deepEqual([view.kycStatus, view.rails.usd], ['action_required', 'action_required'])
  const [, second] = view.requirements.associatedPersons
  assert.deepEqual([second?.id, second?.currentlyDue], ['ap_2', ['proof_of_address']])
  assert.deepEqual(second?.pendingReview, ['pep_screen', 'sanctions_screen'])
  assert.deepEqual(nextActionOf(view, links), {
    kind: 'resubmit_kyc',
    fields: ['associated_persons'],
    associatedPersons: [
      { id: 'ap_1', fields: ['identifying_information'] },
      { id: 'ap_2', fields: ['documents'] },
    ],
  })
})

test('what will be asked for is told of every endorsement, and asks for nothing today', () => {
  const future = [{ effectiveDate: '2027-01-01', pending: [], missing: ['proof_of_address'], issues: [] }]
  const view = deriveKyc(
    { kycStatus: 'under_review', tosStatus: 'approved' },
    customer('active', [endorsement('base', 'approved', { future }), endorsement('sepa', 'approved', { future })]),
  )
  assert.deepEqual(view.requirements, {
    ...nothingOpen,
    future: [{ effectiveDate: '2027-01-01', currentlyDue: ['proof_of_address'], pendingReview: [], errors: [] }],
  })
  assert.deepEqual(nextActionOf(view, links), { kind: 'none' })
})

test('under a status that is new to us an approved end-user stays so, and nothing is opened', () => {
  const held = { kycStatus: 'approved', tosStatus: 'approved' } as const
  const view = deriveKyc(held, customer('enhanced_due_diligence', [endorsement('base', 'approved')]))
  assert.deepEqual(
    [view.kycStatus, view.providerStatus, view.rails.usd],
    ['approved', 'enhanced_due_diligence', 'pending'],
  )
  assert.deepEqual(nextActionOf(view, links), { kind: 'wait' })
  assert.equal(deriveKyc(held, customer('active', [endorsement('base', 'approved')])).rails.usd, 'active')
})

describe('a rail that the provider does not offer where the customer lives', () => {
  const code = 'endorsement_not_available_in_customers_region'
  const closed = endorsement('pix_onramp', 'incomplete', {
    issues: [{ requirement: code, code }],
    missing: ['tax_identification_number'],
  })
  const viewWith = (status: string, others: ProviderEndorsement[]) =>
    deriveKyc({ kycStatus: 'under_review', tosStatus: 'approved' }, customer(status, [closed, ...others]))

  test('asks for nothing, and leaves nobody waiting', () => {
    for (const others of [[], [endorsement('base', 'approved')], [endorsement('pix', 'incomplete')]]) {
      const view = viewWith('active', others)
      assert.equal(view.rails.brl, 'inactive')
      assert.deepEqual(view.requirements.currentlyDue, [])
      const [error] = view.requirements.errors
      assert.deepEqual([error?.requirement, error?.code, error?.resubmittable], ['pix_onramp', code, false])
      assert.deepEqual(nextActionOf(view, about('brl')), { kind: 'none' })
    }
    assert.deepEqual(nextActionOf(viewWith('incomplete', []), links), { kind: 'none' })
  })

  test('stands in the way of no other rail', () => {
    const view = viewWith('active', [endorsement('base', 'approved')])
    assert.deepEqual([view.rails.usd, nextActionOf(view, links)], ['active', { kind: 'none' }])
    assert.equal(nextActionOf(view, about('eur')).kind, 'open_link')
    const due = viewWith('incomplete', [endorsement('base', 'incomplete', { missing: ['date_of_birth'] })])
    assert.deepEqual(nextActionOf(due, links), { kind: 'resubmit_kyc', fields: ['birth_date'] })
    const rejected = viewWith('rejected', [endorsement('base', 'incomplete', shapes.fixable)])
    assert.equal(isResubmittable(rejected), true)
    assert.equal(nextActionOf(rejected, links).kind, 'resubmit_kyc')
  })

  test('is open by another endorsement that is approved', () => {
    assert.equal(viewWith('active', [endorsement('pix', 'approved')]).rails.brl, 'active')
  })
})

test('the endorsement that asks for reliance on our checks opens no rail and requires nothing', () => {
  const view = deriveKyc(
    { kycStatus: 'under_review', tosStatus: 'approved' },
    customer('active', [endorsement('base', 'approved'), endorsement('reliance', 'incomplete', shapes.field)]),
  )
  assert.deepEqual([view.rails.usd, view.requirements], ['active', nothingOpen])
})
