// A deposit is the set of provider activities known of it; status, facts and timeline are read off that set.
// A set has no order, so late, repeated and shuffled activities always end in the same deposit.

import { canonicalJson } from '../platform/values/json.ts'
import type { DepositActivity, DepositReferences, DepositRefund } from '../provider/types.ts'
import { type CurrencyPair, type DepositAmounts, depositAmounts, last } from './amounts.rules.ts'

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
export type DepositState = CurrencyPair & { status: DepositStatus; activities: readonly DepositActivity[] }

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

/** @returns whether activities of this type belong to deposits; `account_update` does not, nor does a type new to us */
export function isDepositStep(type: string): boolean {
  return Object.hasOwn(meanings, type)
}

/**
 * `moved`: the status is another one now. `late`: a later step is known already, though the activity may bring facts.
 * `repeated`: the activity is known, or tells the status that holds. `unknown_type`: the activity is no step of a deposit.
 */
export type StepOutcome = 'moved' | 'late' | 'repeated' | 'unknown_type'

/**
 * Adds one activity to a deposit. An activity told again keeps its latest text.
 * @param account what the account takes in and sends on now. The deposit keeps the pair of the time when its payout was first
 *   told: a later change of the account's destination does not rename what was sent before
 * @returns the deposit as it is afterwards: the same object when nothing is new
 */
export function advance(
  current: DepositState | null,
  activity: DepositActivity,
  account: CurrencyPair,
): { state: DepositState | null; outcome: StepOutcome } {
  const meaning = meaningOf(activity.type)
  if (meaning === null) return { state: current, outcome: 'unknown_type' }
  const held = current?.activities ?? []
  const known = held.find(({ id }) => id === activity.id)
  if (known !== undefined && compareTold(known, activity) >= 0) return { state: current, outcome: 'repeated' }
  const others = held.filter(({ id }) => id !== activity.id)
  const activities = [...others, activity].sort(compareAuthority).slice(-activitiesMax)
  const status = meaningOf(activities.at(-1)?.type ?? activity.type)?.status ?? meaning.status
  const { sourceCurrency, destinationCurrency } = current?.activities.some(isPayout) ? current : account
  const state = { status, sourceCurrency, destinationCurrency, activities }
  if (status !== current?.status) return { state, outcome: 'moved' }
  return { state, outcome: known !== undefined || meaning.status === status ? 'repeated' : 'late' }
}

export type DepositFacts = DepositAmounts & {
  paymentRail: string | null
  senderName: string | null
  references: DepositReferences
  destinationTxHash: string | null
  /** Before the payout is confirmed the provider may still replace the transaction. */
  destinationTxFinal: boolean
  refund: DepositRefund | null
}

/** Reads the facts off a deposit: each as told by the most authoritative activity that tells it. */
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

/** Lists the steps in the order in which they happened, not in which they were told. */
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

/** Orders two texts of one activity by the time they were told; at the same time by their JSON, so that replicas agree. */
function compareTold(left: DepositActivity, right: DepositActivity): number {
  return left.toldAtMs - right.toldAtMs || compareText(canonicalJson(left), canonicalJson(right))
}

function compareText(left: string, right: string): number {
  if (left === right) return 0
  return left < right ? -1 : 1
}
