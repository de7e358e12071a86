// What the API shows of a deposit, and of the deposits of a day.

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
      'The provider’s id, to quote to its support. Of money that the provider names no deposit for: the id of the activity.',
  }),
  status,
  sourceCurrency: Type.String({ description: 'The currency that is paid into the account.', examples: ['mxn'] }),
  destinationCurrency: Type.String({ description: 'The coin that goes to the wallet.', examples: ['usdc'] }),
  grossAmount: amount('What the payer sent, in `sourceCurrency`, as are the fees and the subtotal.'),
  developerFee: amount('Your fee.'),
  exchangeFee: amount('The provider’s fee that was taken before the conversion.'),
  subtotalAmount: amount('What is exchanged: `grossAmount` less both fees, exactly, where all of them are known.'),
  exchangeRate: nullable(
    Type.String({
      description:
        'How much of `destinationCurrency` one of `sourceCurrency` was worth: `subtotalAmount` × `exchangeRate` − `destinationExchangeFee` − `gasFee` is `netAmount`, except for rounding.',
      examples: ['0.05415617128'],
    }),
  ),
  exchangeRateSource: nullable(
    oneOf('ExchangeRateSource', ['provider', 'derived'], {
      description:
        '`provider`: sent by the provider, and right to the last digit of the coin where the amounts to check it are known. `derived`: the converted amount (`netAmount` + `gasFee` + `destinationExchangeFee`) ÷ `subtotalAmount`, to ten significant digits, because the provider sent no rate, or one that its own amounts contradict.',
    }),
  ),
  destinationExchangeFee: amount(
    'The provider’s fee that was taken after the conversion, in `destinationCurrency`; 0.00 where all fees were taken before it.',
  ),
  gasFee: amount('What the transfer on the blockchain cost, in `destinationCurrency`.'),
  netAmount: amount('What was sent to the wallet, in `destinationCurrency`.'),
  refundedAmount: amount(
    'The amount of the last refund to the sender, in `sourceCurrency`; null until then, and where the provider reports the refund in another currency.',
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
    'The blockchain that the payout is sent on, as the provider names it; null until a payout is submitted. The provider does not name the wallet: it is that of the account at that time.',
  ),
  destinationTxHash: words,
  destinationTxFinal: Type.Boolean({ description: 'False while the provider may still replace the transaction.' }),
  refund: nullable(named('DepositRefund', { code: words, reason: words, refundedAt: words })),
  timeline: Type.Array(timelineEntry),
  refundedAt: nullable({
    ...isoTime,
    description:
      'When the money went back to the sender, by the provider’s clock; null until then. A refund counts on this day.',
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
      '`amount_unknown`: the provider sent no fees, no subtotal or no net amount, or its fees contradict the gross amount. `net_differs`: both sides count in one currency, and the net amount is not what the subtotal leaves after `destinationExchangeFee` and gas.',
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
          'What does not add up to the cent, with what is left over in `sourceCurrency`; null where nothing is.',
      },
      difference,
    ),
  ),
})

/** A sum of many deposits; what is left over may be negative. */
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
    { description: 'By currency. An amount that is not known counts as 0.' },
  ),
  sentOn: Type.Array(
    named('SentOnSum', {
      currency: Type.String({ description: 'A `destinationCurrency`, the currency of the sums next to it.' }),
      count,
      destinationExchangeFee: sum,
      gasFee: sum,
      netAmount: sum,
    }),
    { description: 'By coin.' },
  ),
  differenceCount: Type.Integer({ description: 'How many deposits do not add up.' }),
  differences: Type.Array(
    named('DifferingDeposit', { depositId: idOf('deposit'), providerDepositId: Type.String(), ...difference }),
    { maxItems: differencesMax, description: 'The first of them, in the order of their completion.' },
  ),
})
