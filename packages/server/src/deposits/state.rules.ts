// A deposit is the set of activities by which the provider told its story. Status, facts and timeline are computed from that
// set. A set has no order, so late, repeated and shuffled activities always end in the same deposit.

import { canonicalJson } from '../platform/values/json.ts'
import type { DepositActivity } from '../provider/port.ts'
import { type CurrencyPair, depositAmounts, latest } from './amounts.rules.ts'

// The status is that of the activity with the most authority. A later phase beats an earlier one whatever the clock says.
// Within a phase the activity that occurred later decides, for the provider goes both ways there: a review ends in
// `received` again, a refund that failed is tried again. For activities of the same instant the rank decides.
const meanings = {
  funds_scheduled: { status: 'scheduled', phase: 1, rank: 1 },
  funds_received: { status: 'received', phase: 2, rank: 2 },
  in_review: { status: 'in_review', phase: 2, rank: 3 },
  microdeposit: { status: 'microdeposit', phase: 3, rank: 3 },
  payment_submitted: { status: 'payout_submitted', phase: 4, rank: 4 },
  refund_in_flight: { status: 'refund_pending', phase: 4, rank: 5 },
  // The sender did not get the money back: nothing moves by itself any more.
  refund_failed: { status: 'failed', phase: 4, rank: 6 },
  payment_processed: { status: 'completed', phase: 5, rank: 5 },
  // After a completed payout only a finished return changes the outcome, and the return is then the later truth.
  refund: { status: 'refunded', phase: 5, rank: 6 },
  refunded: { status: 'refunded', phase: 5, rank: 6 },
} as const

type Meaning = (typeof meanings)[keyof typeof meanings]

export type DepositStatus = Meaning['status']

/** Plain JSON, stored as it is. `activities` stand in order of authority: the last one decides the status. */
export type DepositState = CurrencyPair & { status: DepositStatus; activities: readonly DepositActivity[] }

// A deposit has about ten activities. Above this number those with the most authority are kept, the same in any order.
const activitiesMax = 256

/** Tells whether activities of this type belong to deposits. `account_update` does not, nor does a type that is new to us. */
export function isDepositStep(type: string): type is keyof typeof meanings {
  return Object.hasOwn(meanings, type)
}

/**
 * `moved`: the status has changed. `late`: the activity belongs to an earlier step than the one reached, though it may bring
 * facts. `repeated`: the activity is known, or tells the status that holds. `unknown_type`: the activity is no step of a deposit.
 */
export type StepOutcome = 'moved' | 'late' | 'repeated' | 'unknown_type'

/**
 * Adds one activity to a deposit. Of two texts of one activity the later one is kept.
 * @param current null for a deposit that is not known yet
 * @param account its currencies now. A deposit keeps the currencies that the account had when the first payout was told: a
 *   later change of the account's destination does not rename what was sent before
 * @returns the deposit as it is afterwards: the same object when nothing is new
 */
export function advance(
  current: DepositState | null,
  activity: DepositActivity,
  account: CurrencyPair,
): { state: DepositState | null; outcome: StepOutcome } {
  if (!isDepositStep(activity.type)) return { state: current, outcome: 'unknown_type' }
  const held = current?.activities ?? []
  const known = held.find(({ id }) => id === activity.id)
  if (known !== undefined && compareTold(known, activity) >= 0) return { state: current, outcome: 'repeated' }
  const others = held.filter(({ id }) => id !== activity.id)
  const activities = [...others, activity].sort(compareAuthority).slice(-activitiesMax)
  const { status } = meaningOf(activities.at(-1) ?? activity)
  const { sourceCurrency, destinationCurrency } = current?.activities.some(isPayout) ? current : account
  const state = { status, sourceCurrency, destinationCurrency, activities }
  if (status !== current?.status) return { state, outcome: 'moved' }
  return { state, outcome: known !== undefined || meaningOf(activity).status === status ? 'repeated' : 'late' }
}

export type DepositFacts = ReturnType<typeof depositFacts>

/** Computes what the API shows of a deposit: each fact as told by the activity with the most authority that tells it. */
export function depositFacts(state: DepositState) {
  const all = state.activities
  const arrivals = all.filter((activity) => meaningOf(activity).phase <= 3)
  return {
    ...depositAmounts(state, arrivals, all.filter(isPayout)),
    paymentRail: latest(all, (activity) => activity.paymentRail),
    senderName: latest(all, (activity) => activity.senderName),
    references: {
      traceNumber: latest(all, ({ references }) => references.traceNumber),
      imad: latest(all, ({ references }) => references.imad),
      uetr: latest(all, ({ references }) => references.uetr),
      trackingNumber: latest(all, ({ references }) => references.trackingNumber),
      endToEndId: latest(all, ({ references }) => references.endToEndId),
    },
    destinationTxHash: latest(all, (activity) => activity.destinationTxHash),
    // Before the payout is confirmed the provider may still replace the transaction.
    destinationTxFinal: all.some(
      ({ type, destinationTxHash }) => type === 'payment_processed' && destinationTxHash !== null,
    ),
    refund: latest(all, (activity) => activity.refund),
  }
}

function isPayout({ type }: DepositActivity): boolean {
  return type === 'payment_submitted' || type === 'payment_processed'
}

/** Lists the steps in the order in which they happened, which need not be the order of authority. */
export function depositTimeline({ activities }: DepositState) {
  return activities
    .toSorted(
      (left, right) =>
        left.occurredAtMs - right.occurredAtMs ||
        meaningOf(left).rank - meaningOf(right).rank ||
        compareText(left.id, right.id),
    )
    .map((activity) => ({
      activityId: activity.id,
      type: activity.type,
      status: meaningOf(activity).status,
      occurredAt: new Date(activity.occurredAtMs).toISOString(),
    }))
}

function meaningOf({ type }: DepositActivity): Meaning {
  if (!isDepositStep(type)) throw new Error(`${type} is no step of a deposit`) // `advance` adds no such activity
  return meanings[type]
}

/** Compares the authority of activities. A total order, so that no two replicas sort the same set differently. */
function compareAuthority(left: DepositActivity, right: DepositActivity): number {
  const [before, after] = [meaningOf(left), meaningOf(right)]
  return (
    before.phase - after.phase ||
    left.occurredAtMs - right.occurredAtMs ||
    before.rank - after.rank ||
    compareText(left.id, right.id)
  )
}

/** Compares two texts of one activity by when the provider said them; of the same moment by their JSON, so that replicas agree. */
function compareTold(left: DepositActivity, right: DepositActivity): number {
  return left.toldAtMs - right.toldAtMs || compareText(canonicalJson(left), canonicalJson(right))
}

function compareText(left: string, right: string): number {
  if (left === right) return 0
  return left < right ? -1 : 1
}
