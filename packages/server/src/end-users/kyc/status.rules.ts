// Maps the provider's view of an end-user to KYC status, requirements and the next action. A verdict depends only on
// the provider's latest response, so repeated responses change nothing.
// Above the usual length: the verdict and the action that follows share their states and change together.

import type { FiatCurrency } from '../../platform/values/rails.ts'
import { clearedBy } from '../../provider/catalogue.rules.ts'
import type { Asks, HostedPage, PauseReason, Standing } from '../../provider/port.ts'
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

/**
 * Our view of the provider's response. `providerStatus` is the provider's own word; null before there is a customer.
 */
export type KycView = Pick<EndUserView, 'kycStatus' | 'tosStatus' | 'providerStatus' | 'rails' | 'requirements'> & {
  rejectionReasons: string[]
  pauseReason: PauseReason | null
}

/** The stored view: before the first response of the provider an end-user has no rails. */
export type StoredKyc = Omit<KycView, 'rails'> & { rails: Partial<KycView['rails']> }

type Held = Pick<KycView, 'kycStatus' | 'tosStatus'>

/** The facts on which our view depends. */
type Told = Omit<Standing, 'id' | 'reference' | 'createdAtMs' | 'asOfMs'>

/** Builds the status of each rail. */
export function railsBy(of: (currency: FiatCurrency) => RailStatus): KycView['rails'] {
  return { usd: of('usd'), eur: of('eur'), mxn: of('mxn'), brl: of('brl'), gbp: of('gbp'), cop: of('cop') }
}

/** Derives our view from the provider's latest response. An unknown verdict keeps the stored status. */
export function deriveKyc(held: Held, told: Told): KycView {
  const requirements = requirementsOf(told)
  const kycStatus = kycStatusOf(told, held.kycStatus, requirements)
  // Under an unknown status no rail is open until the provider reports a known one.
  const isOpen = told.verdict !== 'unknown' || kycStatus !== 'approved'
  const rails = told.rails(isOpen ? kycStatus : 'under_review')
  return {
    kycStatus,
    tosStatus: told.hasAcceptedTerms ? 'approved' : held.tosStatus,
    providerStatus: told.status,
    pauseReason: told.pause,
    rails: railsBy((currency) => rails[currency] ?? 'inactive'),
    requirements,
    rejectionReasons: told.reasons,
  }
}

const nothingTold = {
  ...{ pause: null, hasAcceptedTerms: null, reasons: [], people: [], later: [] },
  asks: { due: [], review: [], wrong: [] },
  rails: () => ({}),
}

/**
 * Derives the view of an end-user with a hosted page but no customer yet: the state of the page is used instead of the
 * customer's. An approval counts only once there is an approved customer.
 */
export function deriveKycOfPage(held: Held, { standing }: Pick<HostedPage, 'standing'>): KycView {
  const { verdict } = standing
  const early = { verdict: 'under_review', status: 'under_review' } as const
  const view = deriveKyc(held, { ...nothingTold, ...standing, ...(verdict === 'approved' && early) })
  // An unused page shows nothing about the end-user.
  return verdict === 'not_started' ? { ...view, providerStatus: null } : view
}

/** The `providerStatus` of an end-user whose customer the provider no longer has. The provider has no word for it. */
export const customerGone = 'deleted'

/**
 * Derives the view of an end-user whose customer the provider no longer has; a later response may have the customer
 * again.
 */
export function kycWithoutCustomer(held: Held): KycView {
  return deriveKyc(held, { ...nothingTold, verdict: 'offboarded', status: customerGone })
}

function kycStatusOf({ verdict }: Told, previous: KycStatus, requirements: Requirements): KycStatus {
  if (verdict === 'unknown') return previous
  if (verdict !== 'not_started') return verdict
  // An approval that the provider no longer confirms does not count.
  if (previous === 'approved') return 'action_required'
  // The provider may respond to a submission before the review: then something is pending and nothing is due.
  const lists = listsIn(requirements)
  const isSubmitted = lists.some(awaitsReview) && lists.every(({ currentlyDue }) => currentlyDue.length === 0)
  return previous === 'not_started' && isSubmitted ? 'under_review' : previous
}

function requirementsOf({ asks, people, later }: Told): Requirements {
  return {
    ...listsOf(asks),
    associatedPersons: people.map((person) => ({ id: person.id, ...listsOf(person) })),
    future: later.map((stage) => ({ effectiveDate: stage.from, ...listsOf(stage) })),
  }
}

function listsOf({ due, review, wrong }: Asks): RequirementLists {
  return { currentlyDue: due, pendingReview: review, errors: wrong.map(errorOf) }
}

function errorOf(issue: Asks['wrong'][number]): Requirements['errors'][number] {
  const { reason } = explainIssue(issue.requirement, issue.code)
  return { ...issue, reason, resubmittable: clearedBy(issue) === 'sender' }
}

const listsIn = (all: Requirements): RequirementLists[] => [all, ...all.associatedPersons]

const awaitsReview = ({ pendingReview }: RequirementLists): boolean => pendingReview.length > 0

export type ActionContext = {
  nowMs: number
  tosUrl?: string | null
  /** Whether the provider has hosted pages at all. */
  hasKycPages: boolean
  kycUrl?: string | null | undefined
  /** The start of the provider's review, from which the usual decision time follows. */
  reviewSinceMs?: number
  /** Asks about opening this currency, rather than any. */
  currency?: FiatCurrency | undefined
  /** The approvals that open `currency`, from the table of rails; one is enough. */
  endorsements?: readonly string[] | undefined
}

/** Decides the one next action of an end-user. */
export function nextActionOf(standing: StoredKyc, context: ActionContext): NextAction {
  switch (standing.kycStatus) {
    case 'offboarded':
      return { kind: 'contact_support' }
    case 'paused':
      // Any pause other than a review must be settled by a person.
      return { kind: standing.pauseReason === 'review' ? 'wait' : 'contact_support' }
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

/** Returns whether another submission makes sense: after a stop, only the provider or an operator can continue. */
export function maySubmit(standing: StoredKyc): boolean {
  if (standing.kycStatus === 'rejected') return isResubmittable(standing)
  return standing.kycStatus !== 'paused' && standing.kycStatus !== 'offboarded'
}

type Reasons = Pick<StoredKyc, 'requirements' | 'rejectionReasons'>

/** Returns whether a rejected end-user may submit again: something can be corrected, and there is no final error. */
export function isResubmittable(standing: Reasons): boolean {
  const canCorrect = allRemedies(standing).some(({ by }) => by === 'fields' || by === 'hosted' || by === 'terms')
  return canCorrect && !listsIn(standing.requirements).some(hasFinalError)
}

function termsAction(standing: StoredKyc, context: ActionContext): NextAction | null {
  const due = standing.requirements.currentlyDue.some((name) => remedyOfRequirement(name).by === 'terms')
  return standing.tosStatus === 'approved' && !due ? null : withUrl('accept_tos', context.tosUrl)
}

/** For an approved end-user one open rail is enough, unless a specific currency is requested. */
function railAction(standing: StoredKyc, context: ActionContext): NextAction {
  const rails = context.currency === undefined ? Object.values(standing.rails) : [standing.rails[context.currency]]
  if (rails.includes('active')) return { kind: 'none' }
  if (rails.includes('action_required')) return remedyAction(standing, context)
  if (rails.includes('pending')) return { kind: 'wait' }
  if (rails.includes('revoked')) return { kind: 'contact_support' }
  if (standing.requirements.errors.some((error) => isNotOfferedIn(context, error))) return { kind: 'none' }
  // Not requested yet: the provider's page takes the request, unless the provider has refused for good.
  return hasFinalError(standing.requirements) ? { kind: 'contact_support' } : pageAction(context)
}

function isNotOfferedIn({ endorsements = [] }: ActionContext, error: Requirements['errors'][number]): boolean {
  return isNotOffered(error) && endorsements.includes(error.requirement)
}

/** Data that can be submitted comes directly after the terms: the provider may require nothing else afterwards. */
function remedyAction(standing: StoredKyc, context: ActionContext): NextAction {
  const terms = termsAction(standing, context)
  if (terms) return terms
  const ways = allRemedies(standing).map(({ by }) => by)
  if (ways.includes('fields')) return withFields('resubmit_kyc', standing)
  if (ways.includes('hosted')) return pageAction(context)
  if (ways.includes('nobody')) return { kind: 'contact_support' }
  if (ways.includes('review') || listsIn(standing.requirements).some(awaitsReview)) return { kind: 'wait' }
  // Nothing can be done about a rail that is not offered where the customer lives.
  if (ways.length > 0) return { kind: 'none' }
  // The provider requires something that it does not name: the hosted page asks for it.
  return pageAction(context)
}

/** If only the provider's page could help and the provider has no pages, a person must settle it. */
function pageAction({ hasKycPages, kycUrl }: ActionContext): NextAction {
  return hasKycPages ? withUrl('open_link', kycUrl) : { kind: 'contact_support' }
}

function reviewAction({ nowMs, reviewSinceMs }: ActionContext): NextAction {
  const expectedMs = reviewSinceMs === undefined ? 0 : nextBusinessDayMs(reviewSinceMs)
  // A date in the past is useless.
  return expectedMs > nowMs ? { kind: 'wait', expectedBy: new Date(expectedMs).toISOString() } : { kind: 'wait' }
}

function withUrl(kind: NextAction['kind'], url: string | null | undefined): NextAction {
  return url ? { kind, url } : { kind }
}

function withFields(kind: NextAction['kind'], standing: StoredKyc): NextAction {
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
