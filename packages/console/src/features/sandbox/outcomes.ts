// What can become of people and of deposits, in words. The end of an e-mail decides a first verdict at the emulator.

import type { Body } from '@causeway/sdk'

export type PersonOutcome = { value: string; words: string; suffix: string | null; note: string; isCompany?: true }

/** `suffix`: null where nothing is submitted. */
export const personOutcomes: readonly PersonOutcome[] = [
  { value: 'approved', words: 'Approved', suffix: '', note: 'Ready for an account two seconds after the submission.' },
  { value: 'rejected', words: 'Rejected', suffix: '+reject', note: 'With reasons. A second submission is approved.' },
  {
    value: 'document',
    words: 'Another document is asked for',
    suffix: '+document',
    note: 'The first one has expired.',
  },
  {
    value: 'questionnaire',
    words: 'A questionnaire is asked for',
    suffix: '+questionnaire',
    note: 'Source of funds and purpose of the account are missing.',
  },
  { value: 'review', words: 'Stays under review', suffix: '+review', note: 'Until you decide below.' },
  {
    value: 'restricted',
    words: 'Approved, but deposits are restricted: accounts are suspended',
    suffix: '+restricted',
    note: 'New accounts are refused as well.',
  },
  {
    value: 'revoked',
    words: 'Approved, then revoked',
    suffix: '+revoke',
    note: 'The approval is taken back moments later.',
  },
  {
    value: 'future',
    words: 'Approved, more is asked for later',
    suffix: '+future',
    note: 'Listed in requirements.future.',
  },
  {
    value: 'paused',
    words: 'Paused by the provider',
    suffix: '+paused',
    note: 'Nothing moves until you decide below.',
  },
  { value: 'offboarded', words: 'Closed by the provider', suffix: '+offboard', note: 'This is final.' },
  {
    value: 'company',
    words: 'A company: approved',
    suffix: '',
    note: 'With a director who owns it, and its papers.',
    isCompany: true,
  },
  {
    value: 'company-owners',
    words: 'A company: its owners are asked for',
    suffix: '+ubo',
    note: 'The relationships of its people are missing.',
    isCompany: true,
  },
  {
    value: 'company-paper',
    words: 'A company: a paper of its owner is asked for',
    suffix: '+ownerdocument',
    note: 'Proof of the address is missing.',
    isCompany: true,
  },
  { value: 'terms', words: 'Only accepts the terms', suffix: null, note: 'KYC is the next step.' },
  { value: 'created', words: 'Is only created', suffix: null, note: 'The terms are the next step.' },
]

type Decision = Body<'decideKyc'>['decision']

export const decisions: readonly (readonly [Decision, string])[] = [
  ['approve', 'Approve'],
  ['reject', 'Reject'],
  ['review', 'Put under review'],
  ['request_document', 'Ask for another document'],
  ['request_questionnaire', 'Ask for a questionnaire'],
  ['pause', 'Pause'],
  ['restrict_deposits', 'Refuse deposits'],
  ['revoke_endorsement', 'Revoke the approval'],
  ['offboard', 'Close for good'],
]

type DepositOutcome = NonNullable<Body<'simulateDeposit'>['outcome']>

export const depositOutcomes: readonly (readonly [DepositOutcome, string])[] = [
  ['completed', 'Arrives and is paid out'],
  ['scheduled', 'Is scheduled first'],
  ['in_review', 'Is held for review'],
  ['reviewed_completed', 'Reviewed, then paid out'],
  ['reviewed_refunded', 'Reviewed, then refunded'],
  ['refunded', 'Is refunded'],
  ['refund_failed', 'The refund fails'],
  ['microdeposit', 'Is too small to convert'],
]

/** Names of the emulator's currencies by what an account takes. */
export const currencies: readonly (readonly [string, string])[] = [
  ['', 'No account'],
  ['usd', 'US dollars'],
  ['eur', 'Euros'],
  ['mxn', 'Mexican pesos'],
]
