// One step of a deposit: what the provider told, by the currency it was measured in.

/** One step of a deposit as the provider told it; a part it did not tell is null. Amounts are decimal strings. */
export type DepositActivity = {
  /** The provider's id of the activity, not of the message that carried it. */
  id: string
  /** Raw: a type that is new to us is a named outcome, not an error. */
  type: string
  occurredAtMs: number
  /** When the provider said so (the message's own time). Of two texts with one id the one said later counts. */
  toldAtMs: number
  /** Of an arrival or a return what the payer sent; of a payout what was sent on, whatever `currency` names beside it. */
  amount: string | null
  currency: string | null
  /** The step's own fees: in dollars, whatever the currency of the deposit. */
  dollars: { developerFee: string | null; exchangeFee: string | null; subtotal: string | null; gasFee: string | null }
  /** The receipt's first half, in the currency paid in. */
  paid: { initial: string | null; developerFee: string | null; exchangeFee: string | null; subtotal: string | null }
  /** The receipt's second half, in the destination's currency. */
  sent: { gasFee: string | null; final: string | null }
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

/** What the account takes in and what it sends on. */
export type DepositRoute = { sourceCurrency: string; destinationCurrency: string }

/** @returns what the most authoritative of the activities tells that tells it at all */
export function last<T>(
  activities: readonly DepositActivity[],
  tell: (activity: DepositActivity) => T | null,
): T | null {
  for (const activity of activities.toReversed()) {
    const fact = tell(activity)
    if (fact !== null) return fact
  }
  return null
}
