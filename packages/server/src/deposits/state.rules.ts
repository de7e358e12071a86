// A deposit is the set of provider activities known of it; status, facts and timeline are read off that set.
// A set has no order, so late, repeated and shuffled activities always end in the same deposit.

import { canonicalJson } from '../platform/values/json.ts'
import type { DepositActivity, DepositReferences, DepositRefund } from '../provider/types.ts'
import { type DepositRoute, last } from './activity.rules.ts'
import { type DepositAmounts, depositAmounts } from './amounts.rules.ts'

export type DepositStatus =
  | 'scheduled'
  | 'received'
  | 'in_review'
  | 'payout_submitted'
  | 'completed'
  | 'microdeposit'
  | 'refund_pending'
  | 'refunded'
  | 'failed'

/** Plain JSON, to be stored as it is. `activities` are in order of authority, the deciding one last. */
export type DepositState = DepositRoute & { status: DepositStatus; activities: readonly DepositActivity[] }

type Meaning = { status: DepositStatus; phase: number; rank: number }

// A later phase beats an earlier one whatever the clock says. Within a phase the later activity decides, for these
// go both ways: a review ends in `received` again, a refund that failed is tried again. At the same instant, the rank.
const meanings: Readonly<Record<string, Meaning>> = {
  funds_scheduled: { status: 'scheduled', phase: 1, rank: 1 },
  funds_received: { status: 'received', phase: 2, rank: 2 },
  in_review: { status: 'in_review', phase: 2, rank: 3 },
  microdeposit: { status: 'microdeposit', phase: 3, rank: 3 },
  payment_submitted: { status: 'payout_submitted', phase: 4, rank: 4 },
  refund_in_flight: { status: 'refund_pending', phase: 4, rank: 5 },
  // The sender did not get the money back: nothing moves by itself any more.
  refund_failed: { status: 'failed', phase: 4, rank: 6 },
  payment_processed: { status: 'completed', phase: 5, rank: 5 },
  // After a completed payout only a finished return changes the outcome, and then it is the later truth.
  refund: { status: 'refunded', phase: 5, rank: 6 },
  refunded: { status: 'refunded', phase: 5, rank: 6 },
}

// A deposit has about ten activities. Of more than this the most authoritative are kept: still the same in any order.
const activitiesMax = 256

/** Account events (`account_update`, `activation` …) and words new to us are no step of a deposit. */
export function isDepositStep(type: string): boolean {
  return Object.hasOwn(meanings, type)
}

/**
 * Takes in one activity. `moved`: the status is another one now; `late`: it is not, for a later step is known already;
 * `repeated`: the activity is known, or says the status that holds anyway; `unknown_type`: nothing is touched.
 * `changed` says whether anything is new: a late or repeated activity may still bring facts. The same text told again
 * later is no change; the state still keeps when it was told, for that decides against a text from in between.
 * The route is that of the account when the payout was first told: a later change of the account's destination does not
 * rename what was sent before.
 */
export function applyDepositEvent(
  current: DepositState | null,
  event: DepositActivity,
  account: DepositRoute,
): DepositStep {
  const meaning = meaningOf(event.type)
  if (meaning === null) return { state: current, changed: false, outcome: 'unknown_type' }
  const known = current?.activities.find((activity) => activity.id === event.id)
  if (current !== null && known !== undefined && compareTold(known, event) >= 0) {
    return { state: current, changed: false, outcome: 'repeated' }
  }
  const others = (current?.activities ?? []).filter((activity) => activity.id !== event.id)
  const activities = [...others, event].sort(compareAuthority).slice(-activitiesMax)
  const status = meaningOf(activities.at(-1)?.type ?? event.type)?.status ?? meaning.status
  const { sourceCurrency, destinationCurrency } = current?.activities.some(isPayout) ? current : account
  const state = { status, sourceCurrency, destinationCurrency, activities }
  if (status !== current?.status) return { state, changed: true, outcome: 'moved' }
  const outcome = known !== undefined || meaning.status === status ? 'repeated' : 'late'
  return { state, changed: activities.includes(event) && !(known && tellsTheSame(known, event)), outcome }
}

function tellsTheSame(known: DepositActivity, again: DepositActivity): boolean {
  return canonicalJson({ ...again, toldAtMs: known.toldAtMs }) === canonicalJson(known)
}

export type DepositStep =
  | { state: DepositState; changed: boolean; outcome: 'moved' | 'repeated' | 'late' }
  | { state: DepositState | null; changed: false; outcome: 'unknown_type' }

export type DepositFacts = DepositAmounts & {
  paymentRail: string | null
  senderName: string | null
  references: DepositReferences
  destinationTxHash: string | null
  /** Before the payout is confirmed the provider may still replace the transaction. */
  destinationTxFinal: boolean
  refund: DepositRefund | null
}

/** Each fact is the one told by the most authoritative activity that tells it at all. */
export function depositFacts(state: DepositState): DepositFacts {
  const all = state.activities
  const arrivals = all.filter((activity) => (meaningOf(activity.type)?.phase ?? 0) <= 3)
  return {
    ...depositAmounts(state, arrivals, all.filter(isPayout)),
    paymentRail: last(all, (step) => step.paymentRail),
    senderName: last(all, (step) => step.senderName),
    references: {
      traceNumber: last(all, (step) => step.references.traceNumber),
      imad: last(all, (step) => step.references.imad),
      uetr: last(all, (step) => step.references.uetr),
      trackingNumber: last(all, (step) => step.references.trackingNumber),
      endToEndId: last(all, (step) => step.references.endToEndId),
    },
    destinationTxHash: last(all, (step) => step.destinationTxHash),
    destinationTxFinal: all.some((step) => step.type === 'payment_processed' && step.destinationTxHash !== null),
    refund: last(all, (step) => step.refund),
  }
}

function isPayout({ type }: DepositActivity): boolean {
  return type === 'payment_submitted' || type === 'payment_processed'
}

export type TimelineEntry = { activityId: string; type: string; status: DepositStatus; occurredAt: string }

/** The steps in the order they happened, not in the order we heard of them. */
export function depositTimeline(state: DepositState): TimelineEntry[] {
  const steps = state.activities.flatMap((activity) => {
    const meaning = meaningOf(activity.type)
    return meaning === null ? [] : [{ activity, meaning }]
  })
  steps.sort(
    (left, right) =>
      left.activity.occurredAtMs - right.activity.occurredAtMs ||
      left.meaning.rank - right.meaning.rank ||
      compareText(left.activity.id, right.activity.id),
  )
  return steps.map(({ activity, meaning }) => ({
    activityId: activity.id,
    type: activity.type,
    status: meaning.status,
    occurredAt: new Date(activity.occurredAtMs).toISOString(),
  }))
}

function meaningOf(type: string): Meaning | null {
  return isDepositStep(type) ? (meanings[type] ?? null) : null
}

/** A total order on activities: the last one decides the status and is asked first for each fact. */
function compareAuthority(left: DepositActivity, right: DepositActivity): number {
  const [before, after] = [meaningOf(left.type), meaningOf(right.type)]
  return (
    (before?.phase ?? 0) - (after?.phase ?? 0) ||
    left.occurredAtMs - right.occurredAtMs ||
    (before?.rank ?? 0) - (after?.rank ?? 0) ||
    compareText(left.id, right.id)
  )
}

/** Of two texts of one activity: the later told; told at once, an order that is arbitrary but the same everywhere. */
function compareTold(left: DepositActivity, right: DepositActivity): number {
  return left.toldAtMs - right.toldAtMs || compareText(canonicalJson(left), canonicalJson(right))
}

function compareText(left: string, right: string): number {
  if (left === right) return 0
  return left < right ? -1 : 1
}
