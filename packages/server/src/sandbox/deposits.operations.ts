// Deposits at the emulated provider: made to arrive, and moved on.

import { Type } from 'typebox'
import { operationsOf } from '../platform/http/operation.ts'
import { anyId, closed, idOf, lineOf, named, oneOf } from '../platform/http/schema/schema.ts'
import type { Sandbox } from './ports.ts'
import { advanceDeposit, isEmulated, leverErrors, simulateDeposit } from './service.ts'

const outcome = oneOf(
  'SandboxDepositOutcome',
  [
    'completed',
    'scheduled',
    'in_review',
    'reviewed_completed',
    'reviewed_refunded',
    'refunded',
    'refunded_unlinked',
    'refund_failed',
    'microdeposit',
  ],
  {
    description:
      'Default: the cents decide: .41 scheduled, .42 in_review, .43 reviewed_completed, .44 reviewed_refunded, .45 refunded, .46 refund_failed, others completed; below the minimum microdeposit.',
  },
)

const amount = Type.String({
  pattern: '^(0\\.(0[1-9]|[1-9][0-9]?)|[1-9][0-9]{0,11}(\\.[0-9]{1,2})?)$',
  errorText: 'must be a decimal string above zero with at most two decimals, such as "12.50"',
  examples: ['12.50'],
})

const { write } = operationsOf<Sandbox>('Sandbox', 'virtual_accounts')

export const sandboxDepositOperations = [
  write('POST /v0/sandbox/deposits', {
    id: 'simulateDeposit',
    summary: 'Simulate a deposit',
    sdk: 'sandbox.simulateDeposit(body)',
    when: isEmulated,
    example: { body: ({ account }) => ({ virtualAccountId: account, amount: '1.00' }) },
    audit: { none: 'the emulator only' },
    assistant: 'may',
    description:
      'The steps of the deposit arrive as events. `GET /v0/deposits/:id` returns the deposit after the first step.',
    body: closed({
      virtualAccountId: anyId,
      amount,
      paymentRail: Type.Optional(lineOf(64)),
      outcome: Type.Optional(outcome),
      senderName: Type.Optional(lineOf(140)),
      reference: Type.Optional(lineOf(140)),
    }),
    data: named('SimulatedDeposit', { id: idOf('deposit'), providerDepositId: Type.String() }),
    errors: ['virtual_account_not_found', 'account_state_conflict', ...leverErrors],
    run: ({ deps, scope, body }) => simulateDeposit(deps, scope.business, body),
  }),

  write('POST /v0/sandbox/deposits/:id/advance', {
    id: 'advanceDeposit',
    summary: 'Advance a simulated deposit',
    sdk: 'sandbox.advanceDeposit(at, body)',
    when: isEmulated,
    example: { body: () => ({ to: 'next' }) },
    audit: { none: 'the emulator only' },
    assistant: 'may',
    description:
      '`completed`, `refunded` and `refund_failed` end a review. `next` takes the next step, for example of a scheduled transfer. Causeway sends events for each step.',
    body: closed({ to: oneOf('SandboxDepositStep', ['completed', 'refunded', 'refund_failed', 'next']) }),
    data: named('AdvancedDeposit', { advanced: Type.Boolean() }),
    errors: ['deposit_not_found', ...leverErrors],
    run: ({ deps, scope, params, body }) => advanceDeposit(deps, scope.business, params.id, body.to),
  }),
]
