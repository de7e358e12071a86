// The API representation of deposit instructions.

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
  railName: Type.String({ description: 'The name that payers know.', examples: ['ACH'] }),
  details: Type.Array(instructionDetail, {
    description: 'The details that the payer’s bank asks for, in order; show each label with its value.',
  }),
})

const payerRules = named(
  {
    title: 'PayerRules',
    description:
      'Who can pay in and how much, according to the provider’s guides of the day `asOf`. Causeway does not check payments against these rules. A payment from a payer who is not allowed is refunded or reviewed.',
  },
  {
    minimumAfterFee: Type.String({
      description: 'The minimum amount that must remain after your fee; a decimal string in `sourceCurrency`.',
    }),
    minimumDeposit: nullable(
      Type.String({
        description:
          'The smallest deposit that leaves `minimumAfterFee` after the account’s percentage fee; null if the fees are set by `fee_config`.',
      }),
    ),
    maximumAmount: nullable(Type.String({ description: 'Null: the provider states no maximum.' })),
    payers: Type.Array(
      Type.Object({
        kind: oneOf('PayerKind', payerKinds),
        text: Type.String({ description: 'A text that you can show to a payer.' }),
      }),
    ),
    payerUsesName: nullable(Type.String({ description: 'The exact name that the payer must enter as the recipient.' })),
    asOf: Type.String({ description: 'The date of the provider’s guides; ISO 8601.' }),
  },
)

export const depositInstructions = named('DepositInstructions', {
  virtualAccountId: idOf('virtualAccount'),
  status,
  suspendedReason: Type.Optional(suspendedReason),
  sourceCurrency: Type.String(),
  minimumAmount: Type.String({
    description: 'Smaller deposits are not converted; a decimal string in `sourceCurrency`.',
  }),
  payerRules,
  instructions: Type.Array(railInstructions, { description: 'Empty unless the account is `active`.' }),
  previousInstructions: Type.Array(
    named('PreviousInstructions', {
      validFrom: isoTime,
      validUntil: { ...isoTime, description: 'When Causeway first received different bank details from the provider.' },
      instructions: Type.Array(railInstructions),
    }),
    {
      maxItems: 50,
      description:
        'Former bank details, newest first, in every status of the account: use them to trace a payment to an old account number.',
    },
  ),
})
