// The API representation of a deposit, and of the deposits of a day.

import { Type } from 'typebox'
import { openInformationRequest } from '../end-users/schema.rules.ts'
import { idOf, isoTime, named, nullable, oneOf } from '../platform/http/schema/schema.ts'
import { fractionDigitsMax } from '../platform/values/money.ts'
import { differenceCodes, differencesMax } from './report.rules.ts'

export const status = oneOf(
  'DepositStatus',
  [
    'scheduled',
    'received',
    'in_review',
    'payout_submitted',
    'completed',
    'refund_pending',
    'refunded',
    'failed',
    'microdeposit',
  ],
  {
    description:
      '`failed`: the refund did not reach the sender. The provider may refund or pay out the deposit afterwards.',
  },
)
/** At least two decimals, and no trailing zero beyond them, so that equal amounts are equal texts. */
const amountValue = Type.String({
  pattern: `^[0-9]+\\.([0-9]{2}|[0-9]{2,${fractionDigitsMax - 1}}[1-9])$`,
  examples: ['20000.00'],
})
const amount = (description: string) =>
  nullable(
    named({ title: 'Amount', description }, { value: amountValue, currency: Type.String({ examples: ['mxn'] }) }),
  )
const timelineEntry = named('DepositActivity', {
  activityId: Type.String(),
  type: Type.String(),
  status,
  occurredAt: isoTime,
})
const words = nullable(Type.String())
const wordsOf = (description: string) => nullable(Type.String({ description }))

export const deposit = named('Deposit', {
  id: idOf('deposit'),
  virtualAccountId: idOf('virtualAccount'),
  externalUserId: Type.String(),
  providerDepositId: Type.String({
    description:
      'The provider’s ID of the deposit, to quote to its support. If the provider assigns no deposit ID: the ID of the activity.',
  }),
  status,
  sourceCurrency: Type.String({ description: 'The currency of the deposit.', examples: ['mxn'] }),
  destinationCurrency: Type.String({ description: 'The coin of the payout.', examples: ['usdc'] }),
  grossAmount: amount(
    'The amount that the payer sent, in `sourceCurrency`. The fees and the subtotal are in the same currency.',
  ),
  developerFee: amount('Your fee.'),
  exchangeFee: amount('The provider’s fee before the conversion.'),
  subtotalAmount: amount(
    'The amount that is converted: exactly `grossAmount` less both fees, if all of them are known.',
  ),
  exchangeRate: nullable(
    Type.String({
      description:
        'The amount of `destinationCurrency` for one unit of `sourceCurrency`: `subtotalAmount` × `exchangeRate` − `destinationExchangeFee` − `gasFee` is `netAmount`, except for rounding.',
      examples: ['0.05415617128'],
    }),
  ),
  exchangeRateSource: nullable(
    oneOf('ExchangeRateSource', ['provider', 'derived'], {
      description:
        '`provider`: sent by the provider, and exact to the last digit of the coin if the amounts to check it are known. `derived`: the converted amount (`netAmount` + `gasFee` + `destinationExchangeFee`) ÷ `subtotalAmount`, to ten significant digits, because the provider sent no rate, or a rate that contradicts its own amounts.',
    }),
  ),
  destinationExchangeFee: amount(
    'The provider’s fee after the conversion, in `destinationCurrency`; 0.00 if all fees were taken before the conversion.',
  ),
  gasFee: amount('The cost of the blockchain transfer, in `destinationCurrency`.'),
  netAmount: amount('The amount sent to the wallet, in `destinationCurrency`.'),
  refundedAmount: amount(
    'The amount of the last refund to the sender, in `sourceCurrency`; null until then, and if the provider reports the refund in another currency.',
  ),
  paymentRail: words,
  senderName: words,
  senderBic: wordsOf('The BIC of the sending bank.'),
  senderBankCode: wordsOf('The code of the sending bank (SPEI).'),
  recipientName: wordsOf(
    'The recipient as the sender named it. A name that differs from the account holder explains many refunds.',
  ),
  chargeBearer: wordsOf(
    'Who pays the charges of the banks: `our` (the sender), `sha` (shared) or `ben` (the recipient).',
  ),
  references: named('DepositReferences', {
    traceNumber: words,
    trackingNumber: words,
    imad: words,
    endToEndId: words,
    uetr: wordsOf('Deprecated by the provider in favor of `trackingNumber`.'),
    omad: wordsOf('Deprecated by the provider in favor of `imad`.'),
  }),
  destinationPaymentRail: wordsOf(
    'The blockchain of the payout, as the provider names it; null until a payout is submitted. The provider does not report the wallet: it is the account’s wallet at that time.',
  ),
  destinationTxHash: words,
  destinationTxFinal: Type.Boolean({ description: 'False while the provider can still replace the transaction.' }),
  refund: nullable(
    named('DepositRefund', {
      code: wordsOf('The provider’s code of the reason. The provider publishes no list of codes.'),
      reason: wordsOf('The reason, in the words of the provider.'),
      refundedAt: wordsOf(
        'The time that the provider reports with the refund, also while the refund is pending or has failed. For the time of a completed refund, read `refundedAt` of the deposit.',
      ),
    }),
  ),
  timeline: Type.Array(timelineEntry),
  refundedAt: nullable({
    ...isoTime,
    description:
      'When the funds were returned to the sender, by the provider’s clock; null until then. A refund belongs to this day.',
  }),
  informationRequests: Type.Array(openInformationRequest, {
    description: 'Requests of the provider for information about this deposit that are open, oldest first.',
  }),
  completedAt: nullable({
    ...isoTime,
    description: 'When the provider confirmed the payout, by the provider’s clock; null until then.',
  }),
  createdAt: isoTime,
  updatedAt: isoTime,
})

const difference = {
  code: oneOf('DepositDifferenceCode', differenceCodes, {
    description:
      '`amount_unknown`: the provider sent no fees, no subtotal or no net amount, or its fees contradict the gross amount. `net_differs`: both sides use one currency, and the net amount is not the subtotal less `destinationExchangeFee` and gas.',
  }),
  amount: named('DepositDifferenceAmount', {
    value: Type.String({ examples: ['20000.00'] }),
    currency: Type.String({ examples: ['usd'] }),
  }),
}

export const completedDeposit = named('CompletedDeposit', {
  ...deposit.properties,
  difference: nullable(
    named(
      {
        title: 'DepositDifference',
        description:
          'A discrepancy that does not balance to the cent, with the remainder in `sourceCurrency`; null if there is none.',
      },
      difference,
    ),
  ),
})

/** A sum of many deposits; the remainder may be negative. */
const sum = Type.String({ pattern: `^-?[0-9]+\\.[0-9]{2,${fractionDigitsMax}}$`, examples: ['20000.00'] })
const count = Type.Integer({ description: 'How many deposits were completed.' })

export const depositSums = named('DepositSums', {
  day: Type.String(),
  paidIn: Type.Array(
    named('PaidInSum', {
      currency: Type.String({ description: 'A `sourceCurrency`, the currency of the sums next to it.' }),
      count,
      grossAmount: sum,
      developerFee: sum,
      exchangeFee: sum,
      subtotalAmount: sum,
      difference: {
        ...sum,
        description:
          '`grossAmount` less both fees and `subtotalAmount`: the sum of the differences with the code `amount_unknown`, and 0.00 without any.',
      },
      refundedCount: Type.Integer({
        description:
          'How many deposits were refunded on this day, whether they were completed on an earlier day or never.',
      }),
      refundedAmount: { ...sum, description: 'Total of these refunds. The other sums do not contain it.' },
    }),
    { description: 'Sums by currency. An unknown amount counts as 0.' },
  ),
  sentOn: Type.Array(
    named('SentOnSum', {
      currency: Type.String({ description: 'A `destinationCurrency`, the currency of the sums next to it.' }),
      count,
      destinationExchangeFee: sum,
      gasFee: sum,
      netAmount: sum,
    }),
    { description: 'Sums by coin.' },
  ),
  differenceCount: Type.Integer({ description: 'The number of deposits that do not balance.' }),
  differences: Type.Array(
    named('DifferingDeposit', { depositId: idOf('deposit'), providerDepositId: Type.String(), ...difference }),
    { maxItems: differencesMax, description: 'The first discrepancies, in the order of completion.' },
  ),
})
