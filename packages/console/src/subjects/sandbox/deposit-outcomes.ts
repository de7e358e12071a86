// The outcomes of a test deposit, in words.

import type { Body } from '@causeway/sdk'

export type DepositOutcome = NonNullable<Body<'simulateDeposit'>['outcome']>

export const depositOutcomes: readonly (readonly [DepositOutcome, string])[] = [
  ['completed', 'Completed'],
  ['scheduled', 'Scheduled'],
  ['in_review', 'In review'],
  ['reviewed_completed', 'In review, then completed'],
  ['reviewed_refunded', 'In review, then refunded'],
  ['refunded', 'Refunded'],
  ['refunded_unlinked', 'Refunded, without a link to the deposit'],
  ['refund_failed', 'Refund failed'],
  ['microdeposit', 'Microdeposit'],
]
