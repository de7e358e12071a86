// What the API shows of how to pay into a virtual account.

import { Type } from 'typebox'
import { idOf, isoTime, named, nullable, oneOf } from '../../platform/http/schema/schema.ts'
import { status, suspendedReason } from '../schema.ts'
import { detailNames } from './instructions.rules.ts'
import { payerKinds } from './payer.rules.ts'

const instructionDetail = named('InstructionDetail', {
  name: oneOf('InstructionDetailName', detailNames),
  label: Type.String(),
  value: Type.String(),
})

const railInstructions = named('RailInstructions', {
  rail: Type.String({ description: 'ach_push, wire, fednow, sepa, spei, pix, faster_payments, bre_b.' }),
  railName: Type.String({ description: 'As payers know it.', examples: ['ACH'] }),
  details: Type.Array(instructionDetail, {
    description: 'What the payer’s bank asks for, in order; show each label with its value.',
  }),
})

const payerRules = named(
  {
    title: 'PayerRules',
    description:
      'Who may pay in and how much, by the guides of the provider on the day `asOf`. Causeway checks no payment against these rules. Money from somebody who may not pay goes back to the payer, or into review.',
  },
  {
    minimumAfterFee: Type.String({
      description: 'The least amount that must be left after your fee; a decimal string in `sourceCurrency`.',
    }),
    minimumDeposit: nullable(
      Type.String({
        description:
          'The smallest deposit that leaves `minimumAfterFee`, for the fee in percent of the account; null if the fees are set by `fee_config`.',
      }),
    ),
    maximumAmount: nullable(Type.String({ description: 'Null: the provider names no maximum.' })),
    payers: Type.Array(
      Type.Object({
        kind: oneOf('PayerKind', payerKinds),
        text: Type.String({ description: 'A text that you can show to a payer.' }),
      }),
    ),
    payerUsesName: nullable(
      Type.String({ description: 'The name that the payer gives as the receiver, letter by letter.' }),
    ),
    asOf: Type.String({ description: 'The day on which the guides were read; ISO 8601.' }),
  },
)

export const depositInstructions = named('DepositInstructions', {
  virtualAccountId: idOf('virtualAccount'),
  status,
  suspendedReason: Type.Optional(suspendedReason),
  sourceCurrency: Type.String(),
  minimumAmount: Type.String({ description: 'Less than this is not converted; a decimal string in `sourceCurrency`.' }),
  payerRules,
  instructions: Type.Array(railInstructions, { description: 'Empty unless the account is `active`.' }),
  previousInstructions: Type.Array(
    named('PreviousInstructions', {
      validFrom: isoTime,
      validUntil: { ...isoTime, description: 'When Causeway first read other bank details at the provider.' },
      instructions: Type.Array(railInstructions),
    }),
    {
      maxItems: 50,
      description:
        'Bank details that the account had before, the newest first, in every state of the account: to trace money that a payer sent to an old number.',
    },
  ),
})
