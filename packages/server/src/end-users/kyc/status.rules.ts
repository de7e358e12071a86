// Onboarding in our words: what the provider's customer record means for KYC status, rails, requirements and the one
// next action. A verdict depends on the provider's latest answer alone, so repeated answers do no harm.
// Above the usual length: the verdict and the action it leads to share their states and change together.

import { defaultRails, type FiatCurrency, fiatCurrencies, type RailTable } from '../../platform/values/rails.ts'
import type { ProviderCustomer, ProviderEndorsement, ProviderRequirements } from '../../provider/types.ts'
import type { KycStatus, NextAction, RailStatus, Requirements, TosStatus } from '../schema.rules.ts'
import { explainIssue, hasFinalError, type Remedy, remediesOf, remedyOfRequirement } from './requirements.rules.ts'

type RequirementLists = Pick<Requirements, 'currentlyDue' | 'pendingReview' | 'errors'>

export type KycView = {
  kycStatus: KycStatus
  tosStatus: TosStatus
  /** The provider's own word, kept even when it is new to us; null before there is a customer. */
  providerStatus: string | null
  rails: Record<FiatCurrency, RailStatus>
  /** Of all rails that are not open yet; replaced by each answer of the provider, never merged. */
  requirements: Requirements
  rejectionReasons: string[]
}

// `not_started` is not here: nobody goes back to it (see `kycStatusOf`).
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

/**
 * What the provider's latest answer means. Without a customer, what we held before stands.
 * An unknown provider status keeps the status held before, and is kept itself in `providerStatus`.
 */
export function deriveKyc(
  previous: { kycStatus: KycStatus; tosStatus: TosStatus },
  customer: ProviderCustomer | null,
  table: RailTable = defaultRails,
): KycView {
  const endorsements = customer?.endorsements ?? []
  const opening = (currency: FiatCurrency) =>
    endorsements.filter((endorsement) => table.fiat[currency].endorsements.includes(endorsement.name))
  const requirements = requirementsOf(fiatCurrencies.flatMap(opening))
  const kycStatus =
    customer === null ? previous.kycStatus : kycStatusOf(customer.status, previous.kycStatus, requirements)
  // Under a status that is new to us nothing is opened until the provider gives one that we know.
  const isKnown = customer === null || customer.status === 'not_started' || kycStatuses.has(customer.status)
  const standing = isKnown || kycStatus !== 'approved' ? kycStatus : 'under_review'
  const rail = (currency: FiatCurrency) => railStatusOf(opening(currency), standing)
  return {
    kycStatus,
    tosStatus: customer?.hasAcceptedTos ? 'approved' : previous.tosStatus,
    providerStatus: customer?.status ?? null,
    rails: {
      usd: rail('usd'),
      eur: rail('eur'),
      mxn: rail('mxn'),
      brl: rail('brl'),
      gbp: rail('gbp'),
      cop: rail('cop'),
    },
    requirements,
    rejectionReasons: [...new Set(customer?.rejectionReasons ?? [])],
  }
}

/**
 * Of an end-user who has a hosted page and no customer yet: the page's own state stands in for the customer's. Approval
 * counts once there is a customer who is approved.
 */
export function deriveKycOfLink(
  previous: { kycStatus: KycStatus; tosStatus: TosStatus },
  link: { kycStatus: string; tosStatus: string; rejectionReasons: readonly string[] },
): KycView {
  const view = deriveKyc(previous, {
    id: '',
    status: link.kycStatus === 'approved' ? 'under_review' : link.kycStatus,
    type: null,
    hasAcceptedTos: link.tosStatus === 'approved',
    endorsements: [],
    rejectionReasons: [...link.rejectionReasons],
    clientReferenceId: null,
    createdAtMs: null,
    updatedAtMs: null,
  })
  // A page that nobody has used says nothing of anybody.
  return link.kycStatus === 'not_started' ? { ...view, providerStatus: null } : view
}

/** Of an end-user whose customer the provider no longer has. Should it be there again, the next answer says so. */
export function kycWithoutCustomer({ tosStatus }: { tosStatus: TosStatus }): KycView {
  const gone = deriveKyc({ kycStatus: 'offboarded', tosStatus }, null)
  return { ...gone, providerStatus: 'deleted' }
}

function kycStatusOf(providerStatus: string, previous: KycStatus, requirements: Requirements): KycStatus {
  if (providerStatus !== 'not_started') return kycStatuses.get(providerStatus) ?? previous
  // An approval that the provider no longer knows of is no approval.
  if (previous === 'approved') return 'action_required'
  // A submission may be answered before the provider has looked at it: what it holds and does not ask for it reviews.
  const lists = [requirements, ...requirements.associatedPersons]
  const submitted =
    lists.some(({ pendingReview }) => pendingReview.length > 0) &&
    lists.every(({ currentlyDue }) => currentlyDue.length === 0)
  return previous === 'not_started' && submitted ? 'under_review' : previous
}

/** What an approved endorsement is worth while the customer as a whole is not approved. */
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

/** Of several endorsements that open one currency the best counts. */
function railStatusOf(endorsements: ProviderEndorsement[], kycStatus: KycStatus): RailStatus {
  const found = endorsements.map((endorsement) => endorsedRail(endorsement, kycStatus))
  return railOrder.find((status) => found.includes(status)) ?? 'inactive'
}

/** An endorsement status that is new to us is read like `incomplete`: it opens nothing. */
function endorsedRail(endorsement: ProviderEndorsement, kycStatus: KycStatus): RailStatus {
  if (endorsement.status === 'revoked') return 'revoked'
  if (endorsement.status === 'approved') return approvedRails[kycStatus]
  if (!['approved', 'under_review', 'action_required'].includes(kycStatus)) return 'inactive'
  const { associatedPersons, ...own } = requirementsOf([endorsement])
  const lists: RequirementLists[] = [own, ...associatedPersons]
  const errors = lists.flatMap((list) => list.errors)
  const isDue = lists.some(({ currentlyDue }) => currentlyDue.length > 0)
  if (isDue || errors.some((error) => error.resubmittable)) return 'action_required'
  if (hasFinalError({ errors })) return 'inactive'
  return errors.length > 0 || lists.some(({ pendingReview }) => pendingReview.length > 0)
    ? 'pending'
    : approvedRails[kycStatus === 'approved' ? 'under_review' : kycStatus]
}

/** What an approved or revoked endorsement lists is of no consequence any more; what will be due is told of each. */
function requirementsOf(endorsements: ProviderEndorsement[]): Requirements {
  const open = endorsements.filter(({ status }) => status !== 'approved' && status !== 'revoked')
  const people = Map.groupBy(
    open.flatMap((endorsement) => endorsement.people),
    ({ id }) => id,
  )
  const future = Map.groupBy(
    endorsements.filter(({ status }) => status !== 'revoked').flatMap((endorsement) => endorsement.future),
    ({ effectiveDate }) => effectiveDate,
  )
  return {
    ...listsOf(open),
    associatedPersons: [...people].map(([id, lists]) => ({ id, ...listsOf(lists) })),
    future: [...future].map(([effectiveDate, lists]) => ({ effectiveDate, ...listsOf(lists) })),
  }
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
  return { ...issue, reason, resubmittable: remedy.by !== 'nobody' && remedy.by !== 'review' }
}

/** What of an end-user decides the next action. */
export type Standing = {
  kycStatus: KycStatus
  tosStatus: TosStatus
  providerStatus: string | null
  rails: Readonly<Partial<Record<string, RailStatus>>>
  requirements: Requirements
  rejectionReasons: readonly string[]
}

export type ActionContext = {
  nowMs: number
  tosUrl?: string | undefined
  kycUrl?: string | undefined
  /** Since when the provider reviews: tells by when a decision is usually there. */
  reviewSinceMs?: number | undefined
  /** Asks what opens this currency, rather than what opens any. */
  currency?: FiatCurrency | undefined
}

/** Total: every standing has exactly one next action. */
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
      if (!isResubmittable(standing)) return { kind: 'contact_support' }
      return termsAction(standing, context) ?? remedyAction(standing, context)
    case 'under_review':
      return termsAction(standing, context) ?? reviewAction(context)
    case 'action_required':
      return termsAction(standing, context) ?? remedyAction(standing, context)
    case 'not_started':
      return termsAction(standing, context) ?? withFields('submit_kyc', standing)
  }
}

/** Whether a rejected end-user may submit again: something can be corrected, and nothing final stands against it. */
export function isResubmittable(standing: Pick<Standing, 'requirements' | 'rejectionReasons'>): boolean {
  const remedies = [...remediesOf(standing), ...peopleRemedies(standing)]
  const canCorrect = remedies.some(({ by }) => by === 'fields' || by === 'hosted' || by === 'terms')
  const errors = [standing.requirements, ...standing.requirements.associatedPersons].flatMap((list) => list.errors)
  return canCorrect && !hasFinalError({ errors })
}

function termsAction(standing: Standing, context: ActionContext): NextAction | null {
  const due = standing.requirements.currentlyDue.some((name) => remedyOfRequirement(name).by === 'terms')
  if (standing.tosStatus === 'approved' && !due) return null
  return withUrl('accept_tos', context.tosUrl)
}

/** An approved end-user: one open rail is enough, unless a certain one is asked about. */
function railAction(standing: Standing, context: ActionContext): NextAction {
  const rails = context.currency === undefined ? Object.values(standing.rails) : [standing.rails[context.currency]]
  if (rails.includes('active')) return { kind: 'none' }
  if (rails.includes('action_required')) return termsAction(standing, context) ?? remedyAction(standing, context)
  if (rails.includes('pending')) return { kind: 'wait' }
  if (rails.includes('revoked')) return { kind: 'contact_support' }
  // Not asked for yet: the provider's page takes the request, unless it has said that it will not.
  return hasFinalError(standing.requirements) ? { kind: 'contact_support' } : withUrl('open_link', context.kycUrl)
}

/** What can be sent comes first: after it the provider may ask for nothing else. */
function remedyAction(standing: Standing, context: ActionContext): NextAction {
  const remedies = [...remediesOf(standing), ...peopleRemedies(standing)]
  if (remedies.some((remedy) => remedy.by === 'fields')) return withFields('resubmit_kyc', standing)
  if (remedies.some((remedy) => remedy.by === 'hosted')) return withUrl('open_link', context.kycUrl)
  if (remedies.some((remedy) => remedy.by === 'nobody')) return { kind: 'contact_support' }
  const { pendingReview, associatedPersons } = standing.requirements
  const isReviewed = associatedPersons.some((person) => person.pendingReview.length > 0)
  if (remedies.length + pendingReview.length > 0 || isReviewed) return { kind: 'wait' }
  // Something is wanted and not named: the hosted page knows what.
  return withUrl('open_link', context.kycUrl)
}

function reviewAction({ nowMs, reviewSinceMs }: ActionContext): NextAction {
  const expectedMs = reviewSinceMs === undefined ? 0 : nextBusinessDayMs(reviewSinceMs)
  // A date that has passed helps nobody.
  return expectedMs > nowMs ? { kind: 'wait', expectedBy: new Date(expectedMs).toISOString() } : { kind: 'wait' }
}

function withUrl(kind: NextAction['kind'], url: string | undefined): NextAction {
  return url === undefined ? { kind } : { kind, url }
}

function withFields(kind: NextAction['kind'], standing: Standing): NextAction {
  const associatedPersons = standing.requirements.associatedPersons
    .map((person) => ({ id: person.id, fields: fieldsOf(remediesOfPerson(person)) }))
    .filter(({ fields }) => fields.length > 0)
  const ofPeople = associatedPersons.length > 0 ? ['associated_persons'] : []
  const fields = [...new Set([...fieldsOf(remediesOf(standing)), ...ofPeople])]
  return {
    kind,
    ...(fields.length > 0 ? { fields } : {}),
    ...(associatedPersons.length > 0 ? { associatedPersons } : {}),
  }
}

function fieldsOf(remedies: readonly Remedy[]): string[] {
  return [...new Set(remedies.flatMap((remedy) => (remedy.by === 'fields' ? remedy.fields : [])))]
}

const remediesOfPerson = (requirements: RequirementLists) => remediesOf({ requirements, rejectionReasons: [] })

const peopleRemedies = ({ requirements }: Pick<Standing, 'requirements'>): Remedy[] =>
  requirements.associatedPersons.flatMap(remediesOfPerson)

const dayMs = 86_400_000

// Most decisions take a minute, but a manual review is promised for the next business day (Monday to Friday, UTC).
function nextBusinessDayMs(fromMs: number): number {
  const weekday = new Date(fromMs).getUTCDay()
  const days = weekday === 5 ? 3 : weekday === 6 ? 2 : 1
  return fromMs + days * dayMs
}
