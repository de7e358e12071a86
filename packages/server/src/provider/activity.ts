// One activity of a deposit in our words: what the provider says happened, and the amounts that it reports.

/**
 * What an activity says. A deposit is stored as the list of its activities. Amounts are decimal strings; a part that the provider
 * does not report is null.
 */
export type DepositActivity = {
  /** The provider's id of the activity, not of the message that carried it. */
  id: string
  /** An open list. A type that is new to us stays as it is, an absent one reads `unknown`. */
  type: string
  occurredAtMs: number
  /** The time of the report, by the provider's clock: of two reports of one activity the later one counts. */
  reportedAtMs: number
  /** Of an arrival or a refund what the payer sent; of a payout what was sent on. Its currency: see `amounts.rules.ts`. */
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
  /** Of a payout: the blockchain it is sent on. */
  destinationPaymentRail: string | null
  /** The bank rail the money came by. */
  paymentRail: string | null
  senderName: string | null
  senderBic: string | null
  senderBankCode: string | null
  /** As the payer wrote it. */
  recipientName: string | null
  /** Who pays the banks' charges: `our`, `sha`, `ben`. */
  chargeBearer: string | null
  /** By these the payer's bank can find its payment. `uetr` and `omad` are deprecated. */
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
 * The provider has two forms of a receipt, and `developerFee`, `exchangeFee` and `subtotal` are in another currency in each; only
 * together with the deposit's currencies is it known which.
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
