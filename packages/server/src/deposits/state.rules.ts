// A deposit is the set of activities that the provider has told of it. Status, facts and timeline are computed from that set. A
// set has no order, so late, repeated and shuffled activities end in the same status, facts and timeline.

import { canonicalJson } from '../platform/values/json.ts'
import { isoTime, isWritable } from '../platform/values/time.ts'
import type { DepositActivity } from '../provider/port.ts'
import { amountIn, type CurrencyPair, depositAmounts, lastTold, shownIn } from './amounts.rules.ts'

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
  // The refund did not reach the sender. Not final: the provider may refund or pay out the deposit afterwards.
  refund_failed: { status: 'failed', phase: 4, rank: 6 },
  payment_processed: { status: 'completed', phase: 5, rank: 5 },
  // After a completed payout only a finished refund that occurred later changes the status.
  refund: { status: 'refunded', phase: 5, rank: 6 },
  refunded: { status: 'refunded', phase: 5, rank: 6 },
} as const

type Meaning = (typeof meanings)[keyof typeof meanings]

export type DepositStatus = Meaning['status']

/** Plain JSON, stored as it is. `activities` stand in order of authority: the last one decides the status. */
export type DepositState = CurrencyPair & { status: DepositStatus; activities: readonly DepositActivity[] }

const lastPhaseOfArrival = 3

// A deposit has about ten activities. Above this number those with the most authority are kept, whatever order they came in.
const activitiesMax = 256

/** Tells whether activities of this type belong to deposits. `account_update` does not, nor does a type that is new to us. */
export function isDepositActivity(type: string): type is keyof typeof meanings {
  return Object.hasOwn(meanings, type)
}

/**
 * `moved`: the status has changed. `late`: an activity with more authority is held, so the status stays; facts may be new.
 * `repeated`: the activity is held already, or tells the status that holds. `unknown_type`: the activity is not of a deposit.
 */
export type ActivityOutcome = 'moved' | 'late' | 'repeated' | 'unknown_type'

/**
 * Adds one activity to a deposit. Of two versions of one activity the one that the provider told later is kept.
 * @param current null for a deposit that is not stored yet
 * @param account its currencies now. A deposit keeps the currencies that the account had when the first payout was applied: a
 *   later change of the account's destination does not rename the coin of an earlier payout
 * @returns the deposit as it is afterwards: the same object for an activity that is held already
 */
export function advance(
  current: DepositState | null,
  activity: DepositActivity,
  account: CurrencyPair,
): { state: DepositState | null; outcome: ActivityOutcome } {
  if (!isDepositActivity(activity.type)) return { state: current, outcome: 'unknown_type' }
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
  const arrivals = all.filter((activity) => meaningOf(activity).phase <= lastPhaseOfArrival)
  return {
    ...depositAmounts(state, arrivals, all.filter(isPayout)),
    refundedAmount: shownIn(state.sourceCurrency)(amountIn(state.sourceCurrency, all.filter(isRefund))),
    paymentRail: lastTold(all, (activity) => activity.paymentRail),
    senderName: lastTold(all, (activity) => activity.senderName),
    senderBic: lastTold(all, (activity) => activity.senderBic),
    senderBankCode: lastTold(all, (activity) => activity.senderBankCode),
    recipientName: lastTold(all, (activity) => activity.recipientName),
    chargeBearer: lastTold(all, (activity) => activity.chargeBearer),
    references: {
      traceNumber: lastTold(all, ({ references }) => references.traceNumber),
      trackingNumber: lastTold(all, ({ references }) => references.trackingNumber),
      imad: lastTold(all, ({ references }) => references.imad),
      endToEndId: lastTold(all, ({ references }) => references.endToEndId),
      uetr: lastTold(all, ({ references }) => references.uetr),
      omad: lastTold(all, ({ references }) => references.omad),
    },
    destinationTxHash: lastTold(all, (activity) => activity.destinationTxHash),
    // Until the payout is processed the provider may replace the transaction by one with another hash.
    destinationTxFinal: all.some(
      ({ type, destinationTxHash }) => type === 'payment_processed' && destinationTxHash !== null,
    ),
    refund: lastTold(all, (activity) => activity.refund),
    refundedAt: lastTold(all.filter(isRefund), ({ refund, occurredAtMs }) => {
      const told = refund?.refundedAt ?? null
      return (told === null ? null : timeOf(Date.parse(told))) ?? timeOf(occurredAtMs)
    }),
    completedAt: lastTold(all, ({ type, occurredAtMs }) =>
      type === 'payment_processed' ? timeOf(occurredAtMs) : null,
    ),
  }
}

/** A time that the database cannot hold is unknown. */
function timeOf(atMs: number): string | null {
  const time = new Date(atMs)
  return isWritable(time) ? isoTime(time) : null
}

/** Lists the references and transaction hashes that any activity tells, in a fixed order. */
export function depositNames({ activities }: DepositState): string[] {
  return activities
    .flatMap(({ references, destinationTxHash }) => [...Object.values(references), destinationTxHash])
    .filter((name) => name !== null)
    .sort()
}

/** A refund that is on its way, or failed, has returned nothing. */
function isRefund({ type }: DepositActivity): boolean {
  return type === 'refund' || type === 'refunded'
}

function isPayout({ type }: DepositActivity): boolean {
  return type === 'payment_submitted' || type === 'payment_processed'
}

/** Lists the activities in the order in which they happened, which need not be the order of authority. */
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
  if (!isDepositActivity(type)) throw new Error(`${type} is not an activity of a deposit`) // `advance` adds no such activity
  return meanings[type]
}

/** Compares the authority of activities. A total order: every server process sorts the same set the same way. */
function compareAuthority(left: DepositActivity, right: DepositActivity): number {
  const [before, after] = [meaningOf(left), meaningOf(right)]
  return (
    before.phase - after.phase ||
    left.occurredAtMs - right.occurredAtMs ||
    before.rank - after.rank ||
    compareText(left.id, right.id)
  )
}

/** Compares two versions of one activity by when the provider told them; of the same moment by their JSON, a total order. */
function compareTold(left: DepositActivity, right: DepositActivity): number {
  return left.toldAtMs - right.toldAtMs || compareText(canonicalJson(left), canonicalJson(right))
}

function compareText(left: string, right: string): number {
  if (left === right) return 0
  return left < right ? -1 : 1
}
