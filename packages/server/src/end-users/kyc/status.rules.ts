// What the provider's customer record means for KYC status, rails, requirements and the one next action. A verdict depends on
// the provider's latest answer alone, so repeated answers do no harm.
// Above the usual length: the verdict and the action that follows share their states and change together.

import { type FiatCurrency, fiatCurrencies, type RailTable } from '../../platform/values/rails.ts'
import { bridgeOffer } from '../../provider/bridge/offer.ts'
import type {
  ProviderCustomer,
  ProviderEndorsement,
  ProviderKycLink,
  ProviderRequirements,
} from '../../provider/bridge/wire/types.ts'
import type { EndUserView, KycStatus, NextAction, RailStatus, Requirements } from '../schema.rules.ts'
import {
  explainIssue,
  hasFinalError,
  isNotOffered,
  type Remedy,
  remediesOf,
  remedyOfRejection,
  remedyOfRequirement,
} from './requirements.rules.ts'

type RequirementLists = Pick<Requirements, 'currentlyDue' | 'pendingReview' | 'errors'>

/** Our view of the provider's answer. `providerStatus` is the provider's own word; null before there is a customer. */
export type KycView = Pick<EndUserView, 'kycStatus' | 'tosStatus' | 'providerStatus' | 'rails' | 'requirements'> & {
  rejectionReasons: string[]
}

/** The view as it is stored: before the first answer of the provider an end-user has no rails. */
export type Standing = Omit<KycView, 'rails'> & { rails: Partial<KycView['rails']> }

type Held = Pick<KycView, 'kycStatus' | 'tosStatus'>
type Customer = Pick<ProviderCustomer, 'status' | 'hasAcceptedTos' | 'endorsements' | 'rejectionReasons'>

// `not_started` is not here: no end-user goes back to it (see `kycStatusOf`).
const kycStatuses: ReadonlyMap<string, KycStatus> = new Map([
  ['active', 'approved'],
  ['approved', 'approved'],
  ['incomplete', 'action_required'],
  ['awaiting_questionnaire', 'action_required'],
  ['awaiting_ubo', 'action_required'],
  ['under_review', 'under_review'],
  ['manual_review', 'under_review'],
  ['rejected', 'rejected'],
  ['paused', 'paused'],
  ['deposits_restricted', 'paused'],
  ['offboarded', 'offboarded'],
])

/** Makes the status of each rail. */
export function railsBy(of: (currency: FiatCurrency) => RailStatus): KycView['rails'] {
  return { usd: of('usd'), eur: of('eur'), mxn: of('mxn'), brl: of('brl'), gbp: of('gbp'), cop: of('cop') }
}

/** Derives our view from the provider's latest answer. An unknown provider status keeps the status held before. */
export function deriveKyc(held: Held, customer: Customer, table: RailTable = bridgeOffer): KycView {
  const { status, hasAcceptedTos, endorsements, rejectionReasons } = customer
  const opening = (currency: FiatCurrency) =>
    endorsements.filter(({ name }) => table.fiat[currency].endorsements.includes(name))
  const requirements = requirementsOf(fiatCurrencies.flatMap(opening))
  const kycStatus = kycStatusOf(status, held.kycStatus, requirements)
  // Under a status that is new to us no rail is open until the provider gives a status that we know.
  const isKnown = status === 'not_started' || kycStatuses.has(status)
  const standing = isKnown || kycStatus !== 'approved' ? kycStatus : 'under_review'
  return {
    kycStatus,
    tosStatus: hasAcceptedTos ? 'approved' : held.tosStatus,
    providerStatus: status,
    rails: railsBy((currency) => railStatusOf(opening(currency), standing)),
    requirements,
    rejectionReasons: [...new Set(rejectionReasons)],
  }
}

/**
 * Derives the view of an end-user who has a hosted page and no customer yet: the state of the page stands in for the
 * customer's, but an approval counts only once there is a customer who is approved.
 */
export function deriveKycOfLink(held: Held, { kycStatus, tosStatus, rejectionReasons }: ProviderKycLink): KycView {
  const status = kycStatus === 'approved' ? 'under_review' : kycStatus
  const hasAcceptedTos = tosStatus === 'approved'
  const view = deriveKyc(held, { status, hasAcceptedTos, endorsements: [], rejectionReasons })
  // A page that nobody has used tells nothing of the end-user.
  return status === 'not_started' ? { ...view, providerStatus: null } : view
}

/** Derives the view of an end-user whose customer the provider no longer has; a later answer may have the customer again. */
export function kycWithoutCustomer({ tosStatus }: Held): KycView {
  const gone = { status: 'deleted', hasAcceptedTos: false, endorsements: [], rejectionReasons: [] }
  return deriveKyc({ kycStatus: 'offboarded', tosStatus }, gone)
}

function kycStatusOf(providerStatus: string, previous: KycStatus, requirements: Requirements): KycStatus {
  if (providerStatus !== 'not_started') return kycStatuses.get(providerStatus) ?? previous
  // An approval that the provider no longer knows of is no approval.
  if (previous === 'approved') return 'action_required'
  // The provider may answer a submission before it has looked at it: then something awaits review and nothing is due.
  const lists = listsIn(requirements)
  const isSubmitted = lists.some(awaitsReview) && lists.every(({ currentlyDue }) => currentlyDue.length === 0)
  return previous === 'not_started' && isSubmitted ? 'under_review' : previous
}

const listsIn = (all: Requirements): RequirementLists[] => [all, ...all.associatedPersons]

const awaitsReview = ({ pendingReview }: RequirementLists): boolean => pendingReview.length > 0

/** The status of a rail whose endorsement is approved, by the status of the customer as a whole. */
const approvedRails: Readonly<Record<KycStatus, RailStatus>> = {
  approved: 'active',
  under_review: 'pending',
  action_required: 'action_required',
  paused: 'pending',
  not_started: 'inactive',
  rejected: 'inactive',
  offboarded: 'revoked',
}

const railOrder: readonly RailStatus[] = ['active', 'action_required', 'pending', 'inactive', 'revoked']

/**
 * If several endorsements open one currency, the best counts. Where the provider does not offer one of them to the
 * customer, the currency waits for nothing: it is open by another endorsement that is approved, or not at all.
 */
function railStatusOf(endorsements: ProviderEndorsement[], kycStatus: KycStatus): RailStatus {
  const isClosed = endorsements.some(({ issues }) => issues.some(isNotOffered))
  const open = isClosed ? endorsements.filter(({ status }) => status !== 'incomplete') : endorsements
  const found = open.map((endorsement) => endorsedRail(endorsement, kycStatus))
  return railOrder.find((status) => found.includes(status)) ?? 'inactive'
}

/** An endorsement status that is new to us counts like `incomplete`: it opens nothing. */
function endorsedRail(endorsement: ProviderEndorsement, kycStatus: KycStatus): RailStatus {
  if (endorsement.status === 'revoked') return 'revoked'
  if (endorsement.status === 'approved') return approvedRails[kycStatus]
  if (!['approved', 'under_review', 'action_required'].includes(kycStatus)) return 'inactive'
  const lists = [endorsement, ...endorsement.people].map((open) => listsOf([open]))
  const errors = lists.flatMap((list) => list.errors)
  const isDue = lists.some(({ currentlyDue }) => currentlyDue.length > 0)
  if (isDue || errors.some((error) => error.resubmittable)) return 'action_required'
  if (hasFinalError({ errors })) return 'inactive'
  return errors.length > 0 || lists.some(awaitsReview) || kycStatus === 'approved'
    ? 'pending'
    : approvedRails[kycStatus]
}

/** Lists what endorsements ask for: what is open today, of those that are neither approved nor revoked, and what will be due. */
function requirementsOf(endorsements: ProviderEndorsement[]): Requirements {
  const open = endorsements.filter(({ status }) => status !== 'approved' && status !== 'revoked').map(openOf)
  const kept = endorsements.filter(({ status }) => status !== 'revoked')
  const people = Map.groupBy(
    open.flatMap((endorsement) => endorsement.people),
    ({ id }) => id,
  )
  const future = Map.groupBy(
    kept.flatMap((endorsement) => endorsement.future),
    ({ effectiveDate }) => effectiveDate,
  )
  return {
    ...listsOf(open),
    associatedPersons: [...people].map(([id, lists]) => ({ id, ...listsOf(lists) })),
    future: [...future].map(([effectiveDate, lists]) => ({ effectiveDate, ...listsOf(lists) })),
  }
}

/** An endorsement that is not offered to the customer asks for nothing more. The error names the endorsement. */
function openOf(endorsement: ProviderEndorsement): ProviderEndorsement {
  const issues = endorsement.issues.filter(isNotOffered).map(({ code }) => ({ requirement: endorsement.name, code }))
  if (issues.length === 0) return endorsement
  return { ...endorsement, issues, pending: [], missing: [], people: [] }
}

function listsOf(open: readonly ProviderRequirements[]): RequirementLists {
  const missing = open.flatMap((lists) => lists.missing)
  const isReview = (requirement: string) => remedyOfRequirement(requirement).by === 'review'
  const currentlyDue = new Set(missing.filter((requirement) => !isReview(requirement)))
  const pending = [...open.flatMap((lists) => lists.pending), ...missing.filter(isReview)]
  const errors = open.flatMap((lists) => lists.issues).map(errorOf)
  return {
    currentlyDue: [...currentlyDue],
    pendingReview: [...new Set(pending)].filter((requirement) => !currentlyDue.has(requirement)),
    errors: [...new Map(errors.map((error) => [`${error.requirement} ${error.code}`, error])).values()],
  }
}

function errorOf(issue: { requirement: string; code: string }): Requirements['errors'][number] {
  const { reason, remedy } = explainIssue(issue.requirement, issue.code)
  const cannotMend: Remedy['by'][] = ['nobody', 'review', 'elsewhere']
  return { ...issue, reason, resubmittable: !cannotMend.includes(remedy.by) }
}

export type ActionContext = {
  nowMs: number
  tosUrl?: string | null
  kycUrl?: string | null | undefined
  /** The start of the provider's review, which tells when a decision is usually there. */
  reviewSinceMs?: number
  /** Asks what opens this currency, rather than what opens any. */
  currency?: FiatCurrency | undefined
}

/** Decides the one next action of an end-user. */
export function nextActionOf(standing: Standing, context: ActionContext): NextAction {
  switch (standing.kycStatus) {
    case 'offboarded':
      return { kind: 'contact_support' }
    case 'paused':
      // The provider's `paused` is a review of its own; any other stop is for a person to settle.
      return { kind: standing.providerStatus === 'paused' ? 'wait' : 'contact_support' }
    case 'approved':
      return railAction(standing, context)
    case 'rejected':
      return isResubmittable(standing) ? remedyAction(standing, context) : { kind: 'contact_support' }
    case 'under_review':
      return termsAction(standing, context) ?? reviewAction(context)
    case 'action_required':
      return remedyAction(standing, context)
    case 'not_started':
      return termsAction(standing, context) ?? withFields('submit_kyc', standing)
  }
}

/** Tells whether another submission makes sense: after a stop only the provider or an operator can go on. */
export function maySubmit(standing: Standing): boolean {
  if (standing.kycStatus === 'rejected') return isResubmittable(standing)
  return standing.kycStatus !== 'paused' && standing.kycStatus !== 'offboarded'
}

type Reasons = Pick<Standing, 'requirements' | 'rejectionReasons'>

/** Tells whether a rejected end-user may submit again: something can be corrected, and no final error stands. */
export function isResubmittable(standing: Reasons): boolean {
  const canCorrect = allRemedies(standing).some(({ by }) => by === 'fields' || by === 'hosted' || by === 'terms')
  return canCorrect && !listsIn(standing.requirements).some(hasFinalError)
}

function termsAction(standing: Standing, context: ActionContext): NextAction | null {
  const due = standing.requirements.currentlyDue.some((name) => remedyOfRequirement(name).by === 'terms')
  return standing.tosStatus === 'approved' && !due ? null : withUrl('accept_tos', context.tosUrl)
}

/** For an approved end-user one open rail is enough, unless a certain currency is asked about. */
function railAction(standing: Standing, context: ActionContext): NextAction {
  const rails = context.currency === undefined ? Object.values(standing.rails) : [standing.rails[context.currency]]
  if (rails.includes('active')) return { kind: 'none' }
  if (rails.includes('action_required')) return remedyAction(standing, context)
  if (rails.includes('pending')) return { kind: 'wait' }
  if (rails.includes('revoked')) return { kind: 'contact_support' }
  if (context.currency !== undefined && isNotOfferedIn(context.currency, standing)) return { kind: 'none' }
  // Not asked for yet: the provider's page takes the request, unless the provider has refused for good.
  return hasFinalError(standing.requirements) ? { kind: 'contact_support' } : withUrl('open_link', context.kycUrl)
}

function isNotOfferedIn(currency: FiatCurrency, { requirements }: Standing): boolean {
  const { endorsements } = bridgeOffer.fiat[currency]
  return requirements.errors.some((error) => isNotOffered(error) && endorsements.includes(error.requirement))
}

/** What can be sent comes right behind the terms: after it the provider may ask for nothing else. */
function remedyAction(standing: Standing, context: ActionContext): NextAction {
  const terms = termsAction(standing, context)
  if (terms) return terms
  const ways = allRemedies(standing).map(({ by }) => by)
  if (ways.includes('fields')) return withFields('resubmit_kyc', standing)
  if (ways.includes('hosted')) return withUrl('open_link', context.kycUrl)
  if (ways.includes('nobody')) return { kind: 'contact_support' }
  if (ways.includes('review') || listsIn(standing.requirements).some(awaitsReview)) return { kind: 'wait' }
  // Nothing can be done about a rail that is not offered where the customer lives.
  if (ways.length > 0) return { kind: 'none' }
  // The provider wants something that it does not name: the hosted page asks for it.
  return withUrl('open_link', context.kycUrl)
}

function reviewAction({ nowMs, reviewSinceMs }: ActionContext): NextAction {
  const expectedMs = reviewSinceMs === undefined ? 0 : nextBusinessDayMs(reviewSinceMs)
  // A date that has passed helps nobody.
  return expectedMs > nowMs ? { kind: 'wait', expectedBy: new Date(expectedMs).toISOString() } : { kind: 'wait' }
}

function withUrl(kind: NextAction['kind'], url: string | null | undefined): NextAction {
  return url ? { kind, url } : { kind }
}

function withFields(kind: NextAction['kind'], standing: Standing): NextAction {
  const associatedPersons = standing.requirements.associatedPersons
    .map((person) => ({ id: person.id, fields: fieldsOf(remediesOf(person, 'person')) }))
    .filter(({ fields }) => fields.length > 0)
  const fields = fieldsOf(ownRemedies(standing))
  if (associatedPersons.length === 0) return fields.length > 0 ? { kind, fields } : { kind }
  return { kind, fields: [...new Set([...fields, 'associated_persons'])], associatedPersons }
}

function fieldsOf(remedies: readonly Remedy[]): string[] {
  return [...new Set(remedies.flatMap((remedy) => (remedy.by === 'fields' ? remedy.fields : [])))]
}

const ownRemedies = ({ requirements, rejectionReasons }: Reasons): Remedy[] => [
  ...remediesOf(requirements),
  ...rejectionReasons.map(remedyOfRejection),
]

const allRemedies = (standing: Reasons): Remedy[] => [
  ...ownRemedies(standing),
  ...standing.requirements.associatedPersons.flatMap((person) => remediesOf(person, 'person')),
]

// Most decisions take a minute, but a manual review is promised for the next business day (Monday to Friday, UTC).
function nextBusinessDayMs(fromMs: number): number {
  const weekday = new Date(fromMs).getUTCDay()
  const days = weekday === 5 ? 3 : weekday === 6 ? 2 : 1
  return fromMs + days * 86_400_000
}
