// One activity of a deposit in Causeway's terms: the step that the provider reports, with its amounts.

/**
 * One activity. A deposit is stored as the list of its activities. Amounts are decimal strings; a part that the
 * provider does not report is null.
 */
export type DepositActivity = {
  /** The provider's ID of the activity, not of the message that carried it. */
  id: string
  /** An open list. An unknown type is kept unchanged, an absent one becomes `unknown`. */
  type: string
  occurredAtMs: number
  /** The time of the report, by the provider's clock. Of two reports of one activity the later one counts. */
  reportedAtMs: number
  /**
   * For a receipt or a refund, the amount that the payer sent; for a payout, the amount sent on. Its currency: see
   * `amounts.rules.ts`.
   */
  amount: string | null
  currency: string | null
  /** The activity's own fees: in dollars, whatever the currency of the deposit. */
  dollars: {
    developerFee: string | null
    exchangeFee: string | null
    subtotal: string | null
    gasFee: string | null
  }
  receipt: ReceiptAmounts
  destinationTxHash: string | null
  /** For a payout: its blockchain. */
  destinationPaymentRail: string | null
  /** The bank rail of the payment. */
  paymentRail: string | null
  senderName: string | null
  senderBic: string | null
  senderBankCode: string | null
  /** As the payer wrote it. */
  recipientName: string | null
  /** Who pays the banks' charges: `our`, `sha`, `ben`. */
  chargeBearer: string | null
  /** References by which the payer's bank can find its payment. `uetr` and `omad` are deprecated. */
  references: {
    traceNumber: string | null
    trackingNumber: string | null
    imad: string | null
    endToEndId: string | null
    uetr: string | null
    omad: string | null
  }
  refund: { code: string | null; reason: string | null; refundedAt: string | null } | null
}

/**
 * The provider has two forms of a receipt, with different currencies for `developerFee`, `exchangeFee` and `subtotal`.
 * Only the deposit's currencies show which form it is.
 */
export type ReceiptAmounts = {
  initial: string | null
  developerFee: string | null
  exchangeFee: string | null
  preConversionSubtotal: string | null
  converted: string | null
  subtotal: string | null
  gasFee: string | null
  final: string | null
  exchangeRate: string | null
}
