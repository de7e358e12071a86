// Possible outcomes of test end-users and deposits, in words. The end of an email address decides a first verdict of
// the sandbox provider.

import type { Body } from '@causeway/sdk'

export type PersonOutcome = { value: string; words: string; suffix: string | null; note: string; isCompany?: true }

/** `suffix`: null where nothing is submitted. */
export const personOutcomes: readonly PersonOutcome[] = [
  { value: 'approved', words: 'Approved', suffix: '', note: 'Approved two seconds after the submission.' },
  { value: 'rejected', words: 'Rejected', suffix: '+reject', note: 'With reasons. A second submission is approved.' },
  {
    value: 'document',
    words: 'Another document is required',
    suffix: '+document',
    note: 'The first one has expired.',
  },
  {
    value: 'questionnaire',
    words: 'A questionnaire is required',
    suffix: '+questionnaire',
    note: 'Source of funds and purpose of the account are missing.',
  },
  { value: 'review', words: 'Stays under review', suffix: '+review', note: 'Until you change the KYC status below.' },
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
    note: 'The approval is revoked moments later.',
  },
  {
    value: 'future',
    words: 'Approved, with future requirements',
    suffix: '+future',
    note: 'Listed in requirements.future.',
  },
  {
    value: 'paused',
    words: 'Paused by the provider',
    suffix: '+paused',
    note: 'Until you change the KYC status below.',
  },
  { value: 'offboarded', words: 'Offboarded by the provider', suffix: '+offboard', note: 'This is final.' },
  {
    value: 'company',
    words: 'Company: approved',
    suffix: '',
    note: 'With a director who owns it, and its documents.',
    isCompany: true,
  },
  {
    value: 'company-owners',
    words: 'Company: owners are required',
    suffix: '+ubo',
    note: 'The relationships of its associated persons are missing.',
    isCompany: true,
  },
  {
    value: 'company-paper',
    words: 'Company: a document of its owner is required',
    suffix: '+ownerdocument',
    note: 'Proof of address is missing.',
    isCompany: true,
  },
  { value: 'terms', words: 'Terms accepted only', suffix: null, note: 'KYC is the next step.' },
  { value: 'created', words: 'Created only', suffix: null, note: 'The terms are the next step.' },
]

type Decision = Body<'decideKyc'>['decision']

/** One that the API has and this table lacks does not compile. */
const decisionWords: Readonly<Record<Decision, string>> = {
  approve: 'Approve',
  reject: 'Reject',
  review: 'Put under review',
  request_document: 'Request another document',
  request_questionnaire: 'Request a questionnaire',
  request_ubo: 'Request the owners of a company',
  pause: 'Pause',
  restrict_deposits: 'Restrict deposits',
  revoke_endorsement: 'Revoke the approval',
  offboard: 'Offboard',
}

export const decisions = Object.entries(decisionWords) as (readonly [Decision, string])[]

/** Names of the emulator's currencies by what an account takes. */
export const currencies: readonly (readonly [string, string])[] = [
  ['', 'No account'],
  ['usd', 'US dollars'],
  ['eur', 'Euros'],
  ['mxn', 'Mexican pesos'],
]
