// A deposit is the set of activities that the provider has reported. The API representation is computed from that set.
// A set has no order, so late, repeated and shuffled activities end in the same status, amounts and timeline. One
// exception: the two currencies are those of the account when the first payout was applied. A later change of the
// account's destination does not rename the coin of an earlier payout.

import { canonicalJson } from '../platform/values/json.ts'
import { isoTime, isWritable } from '../platform/values/time.ts'
import type { DepositActivity } from '../provider/activity.ts'
import { amountIn, type CurrencyPair, depositAmounts, lastReported, shownIn } from './amounts.rules.ts'

/** A later phase overrides an earlier one, whatever the times are. */
const phases = { announced: 1, arrived: 2, microdeposit: 3, leaving: 4, ended: 5 } as const

// The activity with the most authority decides the status. Within a phase the later activity decides, because the
// provider moves both ways: a review ends in `received` again, a failed refund is tried again. Of activities at the
// same time, the one further down in this table counts as later.
const meanings = {
  funds_scheduled: { status: 'scheduled', phase: phases.announced },
  funds_received: { status: 'received', phase: phases.arrived },
  in_review: { status: 'in_review', phase: phases.arrived },
  microdeposit: { status: 'microdeposit', phase: phases.microdeposit },
  payment_submitted: { status: 'payout_submitted', phase: phases.leaving },
  refund_in_flight: { status: 'refund_pending', phase: phases.leaving },
  // The refund did not reach the sender. Not final: the provider may refund or pay out the deposit afterwards.
  refund_failed: { status: 'failed', phase: phases.leaving },
  payment_processed: { status: 'completed', phase: phases.ended },
  // After a completed payout only a finished refund that occurred later changes the status.
  refund: { status: 'refunded', phase: phases.ended },
} as const

type Meaning = (typeof meanings)[keyof typeof meanings]

const usualOrder = Object.keys(meanings)

export type DepositStatus = Meaning['status']

/** Plain JSON, stored unchanged. `activities` are in order of authority: the last one decides the status. */
export type DepositState = CurrencyPair & { status: DepositStatus; activities: readonly DepositActivity[] }

// A deposit has about ten activities. Above this number, those with the most authority are kept, in whatever order they
// came.
const activitiesMax = 256

/** Returns true for types of activity that belong to a deposit. Steps of the account and unknown types do not. */
export function isDepositActivity(type: string): type is keyof typeof meanings {
  return Object.hasOwn(meanings, type)
}

/**
 * `added`: the deposit did not have the activity. `corrected`: it had an earlier report of the activity. `unchanged`:
 * it had this report or a later one. `unknown_type`: the activity does not belong to a deposit.
 */
export type ActivityOutcome = 'added' | 'corrected' | 'unchanged' | 'unknown_type'

/**
 * Adds one activity to a deposit. Of two reports of one activity the later one is kept.
 * @param current null for a deposit that is not stored yet
 * @param account the current currencies of the account
 * @returns the resulting deposit: the same object if it is unchanged
 */
export function advance(
  current: DepositState | null,
  activity: DepositActivity,
  account: CurrencyPair,
): { state: DepositState | null; outcome: ActivityOutcome } {
  if (!isDepositActivity(activity.type)) return { state: current, outcome: 'unknown_type' }
  const knownActivities = current?.activities ?? []
  const known = knownActivities.find(({ id }) => id === activity.id)
  if (known !== undefined && compareReports(known, activity) >= 0) return { state: current, outcome: 'unchanged' }
  const others = knownActivities.filter(({ id }) => id !== activity.id)
  const activities = [...others, activity].sort(compareAuthority).slice(-activitiesMax)
  const { status } = meaningOf(activities.at(-1) ?? activity)
  const { sourceCurrency, destinationCurrency } = current?.activities.some(isPayout) ? current : account
  const state = { status, sourceCurrency, destinationCurrency, activities }
  return { state, outcome: known === undefined ? 'added' : 'corrected' }
}

export type ShownDeposit = ReturnType<typeof shownDeposit>

/**
 * Computes the API representation of a deposit: each fact from the activity with the most authority that reports it.
 */
export function shownDeposit(state: DepositState) {
  const all = state.activities
  const arrivals = all.filter((activity) => meaningOf(activity).phase < phases.leaving)
  return {
    ...depositAmounts(state, arrivals, all.filter(isPayout)),
    refundedAmount: shownIn(state.sourceCurrency)(amountIn(state.sourceCurrency, all.filter(isRefund))),
    paymentRail: lastReported(all, (activity) => activity.paymentRail),
    senderName: lastReported(all, (activity) => activity.senderName),
    senderBic: lastReported(all, (activity) => activity.senderBic),
    senderBankCode: lastReported(all, (activity) => activity.senderBankCode),
    recipientName: lastReported(all, (activity) => activity.recipientName),
    chargeBearer: lastReported(all, (activity) => activity.chargeBearer),
    references: {
      traceNumber: lastReported(all, ({ references }) => references.traceNumber),
      trackingNumber: lastReported(all, ({ references }) => references.trackingNumber),
      imad: lastReported(all, ({ references }) => references.imad),
      endToEndId: lastReported(all, ({ references }) => references.endToEndId),
      uetr: lastReported(all, ({ references }) => references.uetr),
      omad: lastReported(all, ({ references }) => references.omad),
    },
    destinationPaymentRail: lastReported(all, (activity) => activity.destinationPaymentRail),
    destinationTxHash: lastReported(all, (activity) => activity.destinationTxHash),
    // Until the payout is processed the provider may replace the transaction by one with another hash.
    destinationTxFinal: all.some(
      ({ type, destinationTxHash }) => type === 'payment_processed' && destinationTxHash !== null,
    ),
    refund: lastReported(all, (activity) => activity.refund),
    refundedAt: lastReported(all.filter(isRefund), ({ refund, occurredAtMs }) => {
      const refundedAt = refund?.refundedAt ?? null
      return (refundedAt === null ? null : timeOf(Date.parse(refundedAt))) ?? timeOf(occurredAtMs)
    }),
    completedAt: lastReported(all, ({ type, occurredAtMs }) =>
      type === 'payment_processed' ? timeOf(occurredAtMs) : null,
    ),
  }
}

/** A time that the database cannot hold is unknown. */
function timeOf(atMs: number): string | null {
  const time = new Date(atMs)
  return isWritable(time) ? isoTime(time) : null
}

/** Lists the references and transaction hashes that any activity reports, in a fixed order. */
export function referencesAndHashes({ activities }: DepositState): string[] {
  return activities
    .flatMap(({ references, destinationTxHash }) => [...Object.values(references), destinationTxHash])
    .filter((term) => term !== null)
    .sort()
}

/** A pending or failed refund has returned nothing. */
function isRefund({ type }: DepositActivity): boolean {
  return type === 'refund'
}

function isPayout({ type }: DepositActivity): boolean {
  return type === 'payment_submitted' || type === 'payment_processed'
}

/** Lists the activities in the order in which they happened, which may differ from the order of authority. */
export function depositTimeline({ activities }: DepositState) {
  return activities
    .toSorted(
      (left, right) =>
        left.occurredAtMs - right.occurredAtMs || placeOf(left) - placeOf(right) || compareText(left.id, right.id),
    )
    .map((activity) => ({
      activityId: activity.id,
      type: activity.type,
      status: meaningOf(activity).status,
      occurredAt: new Date(activity.occurredAtMs).toISOString(),
    }))
}

function meaningOf({ type }: DepositActivity): Meaning {
  // `advance` adds no such activity
  if (!isDepositActivity(type)) throw new Error(`${type} is not an activity of a deposit`)
  return meanings[type]
}

function placeOf({ type }: DepositActivity): number {
  return usualOrder.indexOf(type)
}

/** Compares the authority of activities. A total order: every process sorts the same set the same way. */
function compareAuthority(left: DepositActivity, right: DepositActivity): number {
  return (
    meaningOf(left).phase - meaningOf(right).phase ||
    left.occurredAtMs - right.occurredAtMs ||
    placeOf(left) - placeOf(right) ||
    compareText(left.id, right.id)
  )
}

/** Compares two reports of one activity by their time; of the same time by their JSON, a total order. */
function compareReports(left: DepositActivity, right: DepositActivity): number {
  return left.reportedAtMs - right.reportedAtMs || compareText(canonicalJson(left), canonicalJson(right))
}

function compareText(left: string, right: string): number {
  if (left === right) return 0
  return left < right ? -1 : 1
}
