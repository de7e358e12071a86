// A deposit is the set of provider activities known of it; status, facts and timeline are read off that set.
// A set has no order, so late, repeated and shuffled activities always end in the same deposit.
import { canonicalJson } from './json.ts'
import { isFiatCurrency } from './rails.ts'

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

/** One step of a deposit as the provider told it; a part it did not tell is null. Amounts are decimal strings. */
export type DepositActivity = {
  /** The provider's id of the activity, not of the message that carried it. */
  id: string
  /** Raw: a type that is new to us is a named outcome, not an error. */
  type: string
  occurredAtMs: number
  /** When the provider said so (the message's own time). Of two texts with one id the one said later counts. */
  toldAtMs: number
  /** Of an arrival or a return what the payer sent, in fiat; of a payout what was sent on. */
  amount: string | null
  currency: string | null
  developerFee: string | null
  exchangeFee: string | null
  gasFee: string | null
  /** Of the receipt, once there is one. Receipts count in the destination's currency from the first line on. */
  initialAmount: string | null
  finalAmount: string | null
  exchangeRate: string | null
  destinationTxHash: string | null
  /** The bank rail the money came by. */
  paymentRail: string | null
  senderName: string | null
  references: DepositReferences
  refund: DepositRefund | null
}

/** What the payer's bank can find its payment by. */
export type DepositReferences = {
  traceNumber: string | null
  imad: string | null
  uetr: string | null
  trackingNumber: string | null
  endToEndId: string | null
}

export type DepositRefund = { code: string | null; reason: string | null; refundedAt: string | null }

/** Plain JSON, to be stored as it is. `activities` are in order of authority, the deciding one last. */
export type DepositState = { status: DepositStatus; activities: readonly DepositActivity[] }

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
 */
export function applyDepositEvent(current: DepositState | null, event: DepositActivity): DepositStep {
  const meaning = meaningOf(event.type)
  if (meaning === null) return { state: current, changed: false, outcome: 'unknown_type' }
  const known = current?.activities.find((activity) => activity.id === event.id)
  if (current !== null && known !== undefined && compareTold(known, event) >= 0) {
    return { state: current, changed: false, outcome: 'repeated' }
  }
  const others = (current?.activities ?? []).filter((activity) => activity.id !== event.id)
  const activities = [...others, event].sort(compareAuthority).slice(-activitiesMax)
  const status = meaningOf(activities.at(-1)?.type ?? event.type)?.status ?? meaning.status
  const state = { status, activities }
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

export type DepositFacts = {
  /** What the payer sent, in `sourceCurrency`. */
  grossAmount: string | null
  sourceCurrency: string | null
  /** The same in the destination's currency, once the payout is confirmed: less the three fees it is `netAmount`. */
  convertedAmount: string | null
  exchangeRate: string | null
  developerFee: string | null
  exchangeFee: string | null
  gasFee: string | null
  netAmount: string | null
  destinationCurrency: string | null
  paymentRail: string | null
  senderName: string | null
  references: DepositReferences
  destinationTxHash: string | null
  /** Before the payout is confirmed the provider may still replace the transaction. */
  destinationTxFinal: boolean
  refund: DepositRefund | null
}

/** Each fact is the one told by the most authoritative activity that tells it at all. Nothing is computed or guessed. */
export function depositFacts(state: DepositState): DepositFacts {
  const all = state.activities
  const incoming = all.filter((activity) => (meaningOf(activity.type)?.phase ?? 0) <= 3)
  const payouts = all.filter((activity) => /^payment_(submitted|processed)$/.test(activity.type))
  return {
    grossAmount: last(incoming, (step) => step.amount),
    sourceCurrency: last(incoming, (step) => step.currency),
    convertedAmount: last(payouts, (step) => step.initialAmount),
    exchangeRate: last(payouts, (step) => step.exchangeRate),
    developerFee: last(payouts, (step) => step.developerFee) ?? last(all, (step) => step.developerFee),
    exchangeFee: last(payouts, (step) => step.exchangeFee) ?? last(all, (step) => step.exchangeFee),
    gasFee: last(payouts, (step) => step.gasFee) ?? last(all, (step) => step.gasFee),
    netAmount: last(payouts, (step) => step.finalAmount ?? step.amount),
    // Some payout steps name the currency paid in instead of the token sent out.
    destinationCurrency: last(payouts, ({ currency }) =>
      currency === null || isFiatCurrency(currency) ? null : currency,
    ),
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

function last<T>(activities: readonly DepositActivity[], tell: (activity: DepositActivity) => T | null): T | null {
  for (const activity of activities.toReversed()) {
    const fact = tell(activity)
    if (fact !== null) return fact
  }
  return null
}
