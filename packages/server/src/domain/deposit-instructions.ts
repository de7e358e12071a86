// Where a payer sends the money of a virtual account: one normalised set of bank details, whatever the currency.

export type DepositInstructions = {
  currency: string
  /** e.g. `ach_push`, `wire`, `fednow`, `sepa`, `spei`, `pix`, `faster_payments`, `bre_b`. Never empty. */
  paymentRails: string[]
  bankName: string | null
  bankAddress: string | null
  beneficiaryName: string | null
  beneficiaryAddress: string | null
  accountNumber: string | null
  routingNumber: string | null
  iban: string | null
  bic: string | null
  clabe: string | null
  sortCode: string | null
  pixCode: string | null
  breBKey: string | null
  depositMessage: string | null
}
