// From the provider's JSON to the next action: every documented customer status and some others, each with every
// endorsement status and every shape of requirements. Each row has an action that somebody can follow.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { businessFields, individualFields } from '../../../end-users/kyc/form/fields.rules.ts'
import { hasFinalError, isNotOffered, remedyOfRequirement } from '../../../end-users/kyc/requirements.rules.ts'
import { deriveKyc, isResubmittable, type KycView, nextActionOf } from '../../../end-users/kyc/status.rules.ts'
import type { KycStatus, NextAction, TosStatus } from '../../../end-users/schema.rules.ts'
import { bridgeOffer } from '../offer.ts'
import { standingOf } from '../verdict.ts'
import { readCustomer } from './customer.ts'

const links = {
  nowMs: Date.UTC(2026, 0, 9),
  hasKycPages: true,
  tosUrl: 'https://tos.example',
  kycUrl: 'https://kyc.example',
}
const held: KycStatus[] = [
  'not_started',
  'under_review',
  'approved',
  'rejected',
  'action_required',
  'paused',
  'offboarded',
]

/** The KYC status for each status of the provider; null: the stored status stays. */
const statuses: Readonly<Record<string, KycStatus[] | null>> = {
  active: ['approved'],
  awaiting_questionnaire: ['action_required'],
  awaiting_ubo: ['action_required'],
  deposits_restricted: ['paused'],
  incomplete: ['action_required'],
  // No customer returns to this status; see the domain tests.
  not_started: ['not_started', 'under_review', 'rejected', 'action_required', 'paused', 'offboarded'],
  offboarded: ['offboarded'],
  paused: ['paused'],
  rejected: ['rejected'],
  under_review: ['under_review'],
  // Statuses of hosted links and events, not of customers in the documentation.
  approved: ['approved'],
  manual_review: ['under_review'],
  a_status_of_next_year: null,
  constructor: null,
}

const endorsed = ['incomplete', 'approved', 'revoked', 'a_word_of_next_year']

const missing = {
  nothing: null,
  all: { all_of: ['date_of_birth', 'tax_identification_number'] },
  any: { any_of: ['first_name', 'last_name'] },
  nested: { all_of: ['address_of_residence', { any_of: ['first_name', { all_of: ['terms_of_service_v2'] }] }] },
  screens: { all_of: ['sanctions_screen', { any_of: ['pep_screen'] }] },
  ofPerson: { all_of: [{ associated_person: 'date_of_birth', items: ['has_title'] }] },
  hosted: { all_of: ['selfie_verification'] },
  newWord: { any_of: ['a_requirement_of_next_year', { all_of: ['constructor'] }] },
}
const pending = [[], ['post_processing'], ['a_check_of_next_year', { associated_person: 'p1', items: ['pep_screen'] }]]
const issues = [
  [],
  ['endorsement_not_available_in_customers_region'],
  [{ id_front_photo: 'id_expired' }],
  ['watchlist_report_match'],
  ['blocklist_check_failed'],
  [{ next_year: 'an_issue_of_next_year' }, 'place_of_birth_missing'],
  [{ associated_person: 'p1', items: [{ id_front_photo: 'id_expired' }, 'blocklist_check_failed'] }],
]
const reasons = [null, 'ID is expired.', 'Your information could not be verified']

type Row = { label: string; status: string; before: KycStatus; view: KycView }

function* rows(): Generator<Row> {
  for (const status of Object.keys(statuses)) {
    for (const word of endorsed) {
      for (const [shape, lacking] of Object.entries(missing)) {
        for (const waiting of pending) {
          for (const wrong of issues) {
            const requirements = { complete: ['first_name'], pending: waiting, missing: lacking, issues: wrong }
            for (const reason of status === 'rejected' ? reasons : [null]) {
              const customer = readCustomer({
                id: 'c1',
                status,
                endorsements: [{ name: 'base', status: word, requirements }],
                rejection_reasons: reason === null ? [] : [{ reason, developer_reason: 'Not for anybody.' }],
              })
              const standing = standingOf(customer, bridgeOffer)
              for (const before of held) {
                for (const tosStatus of ['pending', 'approved', 'expired'] satisfies TosStatus[]) {
                  const view = deriveKyc({ kycStatus: before, tosStatus }, standing)
                  const label = `${status} ${word} ${shape} ${JSON.stringify([waiting, wrong, reason])} ${before} ${tosStatus}`
                  yield { label, status, before, view }
                }
              }
            }
          }
        }
      }
    }
  }
}

const knownFields = new Set([...Object.keys(individualFields), ...Object.keys(businessFields)])

/** Checks the members of an action: exactly those of its kind. */
function assertWhole(action: NextAction, label: string): void {
  const { kind, url, fields } = action
  assert.equal(url, kind === 'accept_tos' ? links.tosUrl : kind === 'open_link' ? links.kycUrl : undefined, label)
  if (kind === 'resubmit_kyc') assert.ok(fields && fields.length > 0, `${label}: nothing is named to send`)
  else if (kind !== 'submit_kyc') assert.equal(fields, undefined, label)
  for (const field of fields ?? []) assert.ok(knownFields.has(field), `${label}: ${field} is no field`)
  assert.equal(new Set(fields).size, fields?.length ?? 0, label)
}

/** Checks that the end-user can perform the action at all. */
function assertFits({ kind }: NextAction, view: KycView, label: string): void {
  const { kycStatus, requirements, rails } = view
  const termsDue = requirements.currentlyDue.some((name) => remedyOfRequirement(name).by === 'terms')
  const allowed: Readonly<Record<KycStatus, readonly NextAction['kind'][]>> = {
    not_started: ['accept_tos', 'submit_kyc'],
    under_review: ['accept_tos', 'wait'],
    approved: ['accept_tos', 'resubmit_kyc', 'open_link', 'wait', 'contact_support', 'none'],
    rejected: ['accept_tos', 'resubmit_kyc', 'open_link', 'contact_support'],
    action_required: ['accept_tos', 'resubmit_kyc', 'open_link', 'wait', 'contact_support', 'none'],
    paused: ['wait', 'contact_support'],
    offboarded: ['contact_support'],
  }
  assert.ok(allowed[kycStatus].includes(kind), label)
  if (kind === 'accept_tos') assert.ok(view.tosStatus !== 'approved' || termsDue, label)
  if (kind === 'none')
    assert.ok(Object.values(rails).includes('active') || requirements.errors.some(isNotOffered), label)
  if (kycStatus === 'rejected') assert.equal(kind === 'contact_support', !isResubmittable(view), label)
  if (kind === 'contact_support' && kycStatus === 'action_required') assert.ok(hasFinalError(requirements), label)
  if (kind === 'contact_support' && kycStatus === 'approved')
    assert.ok(hasFinalError(requirements) || rails.usd === 'revoked', label)
  if (kind === 'wait' && kycStatus === 'action_required')
    assert.ok(requirements.pendingReview.length + requirements.errors.length > 0, label)
}

test('every status, endorsement and shape of requirements leads to a known state and one action that fits it', () => {
  const seen = new Set<string>()
  let count = 0
  for (const { label, status, before, view } of rows()) {
    count += 1
    const expected = statuses[status] ?? [before]
    assert.ok(expected.includes(view.kycStatus), `${label}: ${view.kycStatus}`)
    assert.equal(view.providerStatus, status)
    assert.ok(!JSON.stringify(view).includes('Not for anybody'), label)
    for (const currency of [undefined, 'usd', 'eur'] as const) {
      const action = nextActionOf(view, {
        ...links,
        currency,
        endorsements: currency && bridgeOffer.fiat[currency].endorsements,
      })
      assertWhole(action, `${label} ${currency}: ${action.kind}`)
      if (currency !== 'eur') assertFits(action, view, `${label} ${currency}: ${action.kind}`)
      seen.add(`${view.kycStatus} ${action.kind}`)
    }
  }
  // 14 statuses, the rejected one three times, 4 words, 8 × 3 × 7 shapes, 7 states and 3 of the terms held before.
  assert.equal(count, 16 * 4 * 8 * 3 * 7 * 7 * 3)
  for (const pair of [
    'not_started submit_kyc',
    'not_started accept_tos',
    'under_review wait',
    'approved none',
    'approved resubmit_kyc',
    'approved open_link',
    'approved wait',
    'approved contact_support',
    'rejected resubmit_kyc',
    'rejected contact_support',
    'action_required accept_tos',
    'action_required resubmit_kyc',
    'action_required open_link',
    'action_required wait',
    'action_required contact_support',
    'paused wait',
    'paused contact_support',
    'offboarded contact_support',
  ])
    assert.ok(seen.has(pair), `no row leads to ${pair}`)
})

const documentedRequirements = `
  terms_of_service_v1 terms_of_service_v2 first_name last_name tax_identification_number email_address address_of_residence
  date_of_birth proof_of_address sanctions_screen pep_screen blocklist_lookup min_age_18 selfie_verification
  government_id_rejection_checks_passed government_id_review_checks_passed government_id_reliance post_processing
  government_id_verification business_name business_type business_description is_dao address_of_incorporation
  address_of_operation business_industry control_person_ownership_attestation minimal_source_of_funds_data
  adverse_media_screen manual_business_ein_verification_review manual_business_registry_verification_review business_website
  manual_business_website_verification_review business_formation_document_verification
  manual_business_formation_document_verification_review kyb_review has_control associated_person_relationship
  manual_government_id_review has_title business_formation_document business_ownership_document control_person has_base
  has_sepa min_age_60 source_of_funds_questionnaire proof_of_address_document selfie_document_in_persona
  gov_id_address_to_residential_address_match sof_individual_primary_purpose`
const documentedIssues = `
  endorsement_not_available_in_customers_region government_id_verification_failed blocklist_check_failed
  database_check_failed_on_address database_check_failed_on_birth_date place_of_birth_missing id_expired document_expired`
const words = (text: string) => text.trim().split(/\s+/)

function actionFor(requirements: object): NextAction {
  const whole = { complete: [], pending: [], missing: null, issues: [], ...requirements }
  const customer = readCustomer({
    id: 'c1',
    status: 'incomplete',
    has_accepted_terms_of_service: true,
    endorsements: [{ name: 'base', status: 'incomplete', requirements: whole }],
  })
  return nextActionOf(
    deriveKyc({ kycStatus: 'under_review', tosStatus: 'approved' }, standingOf(customer, bridgeOffer)),
    links,
  )
}

test('every documented requirement alone leads to what meets it, and every documented issue to what clears it', () => {
  const kinds = {
    terms: 'accept_tos',
    fields: 'resubmit_kyc',
    hosted: 'open_link',
    review: 'wait',
    nobody: '',
    elsewhere: '',
  }
  assert.equal(words(documentedRequirements).length, 51)
  for (const name of words(documentedRequirements)) {
    const action = actionFor({ missing: { all_of: [name] } })
    assert.equal(action.kind, kinds[remedyOfRequirement(name).by], name)
    assertWhole(action, name)
  }
  const ends: Readonly<Record<string, NextAction['kind']>> = {
    endorsement_not_available_in_customers_region: 'none',
    blocklist_check_failed: 'contact_support',
  }
  for (const name of words(documentedIssues)) {
    for (const issue of [name, { some_requirement: name }, { associated_person: 'p1', items: [name] }]) {
      const action = actionFor({ issues: [issue] })
      assert.equal(action.kind, ends[name] ?? 'resubmit_kyc', JSON.stringify(issue))
      assertWhole(action, name)
    }
  }
})
