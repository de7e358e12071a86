// The texts of the bank: the outcomes and paces that a person can choose, the steps of a deposit, the ways to advance it.

import type { Advance, DepositOutcome } from '../deposits/deposits.ts'
import type { Rail } from '../virtual-accounts/currencies.ts'
import type { ActivityType } from '../virtual-accounts/rows.ts'

export type Tone = 'neutral' | 'success' | 'warning' | 'danger'

export const outcomeTexts: Readonly<Record<DepositOutcome, string>> = {
  completed: 'Received and paid out',
  scheduled: 'Announced first, then received and paid out',
  in_review: 'Held in review until you decide',
  reviewed_completed: 'Held in review, then paid out',
  reviewed_refunded: 'Held in review, then refunded',
  refunded: 'Refunded to its sender',
  refunded_unlinked: 'Refunded, without saying which deposit',
  refund_failed: 'Refund fails',
  microdeposit: 'Microdeposit, never paid out',
}

export const railTexts: Readonly<Record<Rail, string>> = {
  ach_push: 'ACH',
  wire: 'Wire',
  fednow: 'FedNow',
  sepa: 'SEPA',
  spei: 'SPEI',
  pix: 'Pix',
  faster_payments: 'Faster Payments',
  bre_b: 'Bre-B',
}

/** Milliseconds from one step to the next, as the form sends them. */
export const paces: readonly [stepMs: string, label: string][] = [
  ['1500', 'To watch: one and a half seconds a step'],
  ['0', 'At once'],
  ['3600000', 'Slow: an hour a step, or by hand'],
  ['86400000', 'Like a bank: a day a step, or by hand'],
]

type StepText = { label: string; tone: Tone; meaning: string }

const stepTexts: Readonly<Partial<Record<ActivityType, StepText>>> = {
  funds_scheduled: { label: 'Announced', tone: 'neutral', meaning: 'The transfer is in transit between the banks.' },
  funds_received: { label: 'Received', tone: 'neutral', meaning: 'The money has arrived at the virtual account.' },
  in_review: { label: 'In review', tone: 'warning', meaning: 'Somebody looks at it before it goes on.' },
  payment_submitted: { label: 'Payment sent', tone: 'neutral', meaning: 'The stablecoin is on its way.' },
  payment_processed: { label: 'Paid out', tone: 'success', meaning: 'Confirmed on chain. This is final.' },
  refund_in_flight: { label: 'Refund on its way', tone: 'warning', meaning: 'The money goes back to its sender.' },
  refund: { label: 'Refunded', tone: 'warning', meaning: 'The sender has the money back. This is final.' },
  refund_failed: { label: 'Refund failed', tone: 'danger', meaning: 'The sender could not be paid back.' },
  microdeposit: { label: 'Microdeposit', tone: 'warning', meaning: 'Below the minimum: never paid out.' },
}

export const stepText = (type: ActivityType): StepText =>
  stepTexts[type] ?? { label: type, tone: 'neutral', meaning: '' }

export const advanceTexts: Readonly<Record<Advance, string>> = {
  completed: 'Release and pay out',
  refunded: 'Refund',
  refund_failed: 'Let the refund fail',
  next: 'Take the next step now',
}
