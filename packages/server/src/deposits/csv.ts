// Deposits as CSV. New columns are only added, at the end of `depositColumns`. The two columns of the difference stay
// the last of the report.

import type { Static } from 'typebox'
import type { CsvColumns } from '../platform/http/csv.ts'
import type { completedDeposit, deposit } from './schema.ts'

/**
 * The currency of an amount is in another column. Gross, fees, subtotal and refund are in `sourceCurrency`. The
 * exchange fee after the conversion, gas and net are in `destinationCurrency`.
 */
export const depositColumns = {
  id: (row) => row.id,
  createdAt: (row) => row.createdAt,
  completedAt: (row) => row.completedAt,
  updatedAt: (row) => row.updatedAt,
  virtualAccountId: (row) => row.virtualAccountId,
  externalUserId: (row) => row.externalUserId,
  providerDepositId: (row) => row.providerDepositId,
  status: (row) => row.status,
  sourceCurrency: (row) => row.sourceCurrency,
  grossAmount: (row) => row.grossAmount?.value ?? null,
  developerFee: (row) => row.developerFee?.value ?? null,
  exchangeFee: (row) => row.exchangeFee?.value ?? null,
  subtotalAmount: (row) => row.subtotalAmount?.value ?? null,
  destinationCurrency: (row) => row.destinationCurrency,
  exchangeRate: (row) => row.exchangeRate,
  exchangeRateSource: (row) => row.exchangeRateSource,
  gasFee: (row) => row.gasFee?.value ?? null,
  netAmount: (row) => row.netAmount?.value ?? null,
  paymentRail: (row) => row.paymentRail,
  senderName: (row) => row.senderName,
  traceNumber: (row) => row.references.traceNumber,
  imad: (row) => row.references.imad,
  uetr: (row) => row.references.uetr,
  trackingNumber: (row) => row.references.trackingNumber,
  endToEndId: (row) => row.references.endToEndId,
  destinationTxHash: (row) => row.destinationTxHash,
  destinationTxFinal: (row) => row.destinationTxFinal,
  refundCode: (row) => row.refund?.code ?? null,
  refundReason: (row) => row.refund?.reason ?? null,
  refundedAt: (row) => row.refundedAt,
  destinationExchangeFee: (row) => row.destinationExchangeFee?.value ?? null,
  refundedAmount: (row) => row.refundedAmount?.value ?? null,
  senderBic: (row) => row.senderBic,
  senderBankCode: (row) => row.senderBankCode,
  recipientName: (row) => row.recipientName,
  chargeBearer: (row) => row.chargeBearer,
  omad: (row) => row.references.omad,
  destinationPaymentRail: (row) => row.destinationPaymentRail,
} satisfies CsvColumns<Static<typeof deposit>>

export const completedDepositColumns = {
  ...depositColumns,
  difference: (row) => row.difference?.code ?? null,
  differenceAmount: (row) => row.difference?.amount.value ?? null,
} satisfies CsvColumns<Static<typeof completedDeposit>>
