// Maps a Bridge customer to the terms of the port: its status is the verdict, and its endorsements open the rails and
// list open requirements.

import { type FiatCurrency, fiatCurrencies, type RailTable } from '../../platform/values/rails.ts'
import { clearedBy, settledByReview } from '../catalogue.rules.ts'
import type { Asks, HostedPage, KnownVerdict, RailState, Standing, Verdict } from '../port.ts'
import type { ProviderCustomer, ProviderEndorsement, ProviderKycLink, ProviderRequirements } from './wire/types.ts'

const verdicts: ReadonlyMap<string, Verdict> = new Map([
  ['not_started', 'not_started'],
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

/** @param table which endorsements open a currency */
export function standingOf(customer: ProviderCustomer, table: RailTable): Standing {
  const opening = (currency: FiatCurrency) =>
    customer.endorsements.filter(({ name }) => table.fiat[currency].endorsements.includes(name))
  return {
    id: customer.id,
    reference: customer.clientReferenceId,
    ...statusOf(customer.status, customer.hasAcceptedTos, customer.rejectionReasons),
    rails: (verdict) =>
      Object.fromEntries(fiatCurrencies.map((currency) => [currency, railStateOf(opening(currency), verdict)])),
    ...openIn(fiatCurrencies.flatMap(opening)),
    createdAtMs: customer.createdAtMs,
    asOfMs: customer.updatedAtMs,
  }
}

export function pageOf(link: ProviderKycLink): HostedPage {
  return {
    id: link.id,
    customerId: link.customerId,
    url: link.kycLink,
    termsUrl: link.tosLink,
    standing: statusOf(link.kycStatus, link.tosStatus === 'approved', link.rejectionReasons),
  }
}

function statusOf(status: string, hasAcceptedTerms: boolean, reasons: string[]): HostedPage['standing'] {
  const pause = status === 'paused' ? 'review' : status === 'deposits_restricted' ? status : null
  return {
    status,
    verdict: verdicts.get(status) ?? 'unknown',
    pause,
    hasAcceptedTerms,
    reasons: [...new Set(reasons)],
  }
}

/** The state of a rail with an approved endorsement, by the customer's verdict. */
const approvedRails: Readonly<Record<KnownVerdict, RailState>> = {
  approved: 'active',
  under_review: 'pending',
  action_required: 'action_required',
  paused: 'pending',
  not_started: 'inactive',
  rejected: 'inactive',
  offboarded: 'revoked',
}

const railOrder: readonly RailState[] = ['active', 'action_required', 'pending', 'inactive', 'revoked']

/**
 * If several endorsements open one currency, the best counts. If the provider does not offer one of them to the
 * customer, the currency is not pending: another approved endorsement opens it, or nothing does.
 */
function railStateOf(endorsements: ProviderEndorsement[], verdict: KnownVerdict): RailState {
  const isClosed = endorsements.some(({ issues }) => issues.some(isNotOffered))
  const open = isClosed ? endorsements.filter(({ status }) => status !== 'incomplete') : endorsements
  const found = open.map((endorsement) => endorsedRail(endorsement, verdict))
  return railOrder.find((state) => found.includes(state)) ?? 'inactive'
}

/** An unknown endorsement status counts like `incomplete`: it opens nothing. */
function endorsedRail(endorsement: ProviderEndorsement, verdict: KnownVerdict): RailState {
  if (endorsement.status === 'revoked') return 'revoked'
  if (endorsement.status === 'approved') return approvedRails[verdict]
  if (!['approved', 'under_review', 'action_required'].includes(verdict)) return 'inactive'
  const asked = [endorsement, ...endorsement.people].map((open) => asksOf([open]))
  const ends = asked.flatMap(({ wrong }) => wrong.map(clearedBy))
  if (asked.some(({ due }) => due.length > 0) || ends.includes('sender')) return 'action_required'
  if (ends.includes('nobody')) return 'inactive'
  const isReviewed = ends.length > 0 || asked.some(({ review }) => review.length > 0)
  return isReviewed || verdict === 'approved' ? 'pending' : approvedRails[verdict]
}

const isNotOffered = (issue: { requirement: string; code: string }): boolean => clearedBy(issue) === 'elsewhere'

/**
 * Lists requirements of endorsements: those due today, of endorsements neither approved nor revoked, and future ones.
 */
function openIn(endorsements: ProviderEndorsement[]): Pick<Standing, 'asks' | 'people' | 'later'> {
  const open = endorsements.filter(({ status }) => status !== 'approved' && status !== 'revoked').map(openOf)
  const kept = endorsements.filter(({ status }) => status !== 'revoked')
  const people = Map.groupBy(
    open.flatMap((endorsement) => endorsement.people),
    ({ id }) => id,
  )
  const later = Map.groupBy(
    kept.flatMap((endorsement) => endorsement.future),
    ({ effectiveDate }) => effectiveDate,
  )
  return {
    asks: asksOf(open),
    people: [...people].map(([id, lists]) => ({ id, ...asksOf(lists) })),
    later: [...later].map(([from, lists]) => ({ from, ...asksOf(lists) })),
  }
}

/** An endorsement that is not offered to the customer has no further requirements. The issue names the endorsement. */
function openOf(endorsement: ProviderEndorsement): ProviderEndorsement {
  const issues = endorsement.issues.filter(isNotOffered).map(({ code }) => ({ requirement: endorsement.name, code }))
  if (issues.length === 0) return endorsement
  return { ...endorsement, issues, pending: [], missing: [], people: [] }
}

function asksOf(open: readonly ProviderRequirements[]): Asks {
  const missing = open.flatMap((lists) => lists.missing)
  const due = new Set(missing.filter((requirement) => !settledByReview.has(requirement)))
  const review = [
    ...open.flatMap((lists) => lists.pending),
    ...missing.filter((requirement) => settledByReview.has(requirement)),
  ]
  const issues = open.flatMap((lists) => lists.issues)
  return {
    due: [...due],
    review: [...new Set(review)].filter((requirement) => !due.has(requirement)),
    wrong: [...new Map(issues.map((issue) => [`${issue.requirement} ${issue.code}`, issue])).values()],
  }
}
