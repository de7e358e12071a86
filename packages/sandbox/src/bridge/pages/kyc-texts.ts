// The texts of the identity check: the outcomes that a person can choose, and the meaning of each status.
import type { KycOutcome } from '../customers/hosted-pages.ts'

export type Tone = 'neutral' | 'success' | 'warning' | 'danger'

type OutcomeChoice = { label: string; effect: string; result: { tone: Tone; title: string; text: string } }

const outcome = (label: string, effect: string, tone: Tone, title: string, text: string): OutcomeChoice => ({
  label,
  effect,
  result: { tone, title, text },
})

export const outcomeChoices: Readonly<Record<KycOutcome, OutcomeChoice>> = {
  approve: outcome(
    'Approve',
    'The customer becomes active and can receive money.',
    'success',
    'Check passed',
    'The sandbox approves this customer within seconds. Your application receives a webhook.',
  ),
  reject: outcome(
    'Reject',
    'The customer is rejected, with a reason, and may try again.',
    'danger',
    'Check failed',
    'The sandbox rejects this customer within seconds, with a reason that your application can show.',
  ),
  review: outcome(
    'Send to manual review',
    'The check stays open until someone decides.',
    'warning',
    'In manual review',
    'The check stays under review. Decide it later, on this page or with a control command.',
  ),
  request_document: outcome(
    'Request another document',
    'The check is incomplete and shows what is missing.',
    'warning',
    'Another document required',
    'Within seconds, the check is incomplete. Your application sees which document is missing.',
  ),
  request_questionnaire: outcome(
    'Request the questionnaire',
    'Requires the purpose of the account and the source of funds.',
    'warning',
    'Questionnaire required',
    'Within seconds, the check waits for the questionnaire. It continues after your application has submitted it.',
  ),
  request_ubo: outcome(
    'Request the owners',
    'Requires the people who own the business.',
    'warning',
    'Owners required',
    'Within seconds, the check waits for the owners. It continues after your application has submitted them.',
  ),
  pause: outcome(
    'Pause',
    'The customer is frozen until someone decides.',
    'warning',
    'Customer paused',
    'The sandbox pauses this customer within seconds. A control command can approve the customer again.',
  ),
  offboard: outcome(
    'Offboard',
    'The customer is closed permanently.',
    'danger',
    'Customer offboarded',
    'The sandbox closes this customer within seconds, as after a finding of suspicious activity.',
  ),
  restrict_deposits: outcome(
    'Restrict deposits',
    'Approved, but no new deposit is accepted.',
    'warning',
    'Deposits restricted',
    'The sandbox approves this customer within seconds, but rejects deposits.',
  ),
  revoke_endorsement: outcome(
    'Approve, then revoke',
    'Approved first. Every endorsement is revoked a moment later.',
    'warning',
    'Check passed, for now',
    'The sandbox approves this customer within seconds and revokes the endorsements soon after.',
  ),
}

const common: readonly KycOutcome[] = ['approve', 'reject', 'review', 'request_document']

/** Rare outcomes, shown behind a disclosure because four choices are read faster than ten. */
const rare: readonly KycOutcome[] = [
  'request_questionnaire',
  'request_ubo',
  'pause',
  'offboard',
  'restrict_deposits',
  'revoke_endorsement',
]

/** Returns the outcomes of a check of this type of customer. */
export const outcomesFor = (type: 'individual' | 'business'): { common: KycOutcome[]; rare: KycOutcome[] } => ({
  common: [...common],
  rare: rare.filter((known) => type === 'business' || known !== 'request_ubo'),
})

type StatusText = { label: string; tone: Tone; isClosed: boolean; explanation: string }

const open = (label: string, tone: Tone): StatusText => ({ label, tone, isClosed: false, explanation: '' })
const closed = (label: string, tone: Tone, explanation: string): StatusText => ({
  label,
  tone,
  isClosed: true,
  explanation,
})

const known = new Map<string, StatusText>([
  ['not_started', open('Not started', 'neutral')],
  ['incomplete', open('Incomplete', 'warning')],
  ['awaiting_questionnaire', open('Awaiting questionnaire', 'warning')],
  ['awaiting_ubo', open('Awaiting owners', 'warning')],
  ['under_review', open('Under review', 'warning')],
  ['rejected', open('Rejected', 'danger')],
  ['approved', closed('Approved', 'success', 'The check is complete. Nothing is left to do here.')],
  ['active', closed('Active', 'success', 'The check is complete. Nothing is left to do here.')],
  [
    'deposits_restricted',
    closed('Deposits restricted', 'warning', 'The check is complete, but this customer cannot receive deposits.'),
  ],
  ['paused', closed('Paused', 'danger', 'This customer is paused. The check cannot be repeated here.')],
  ['offboarded', closed('Offboarded', 'danger', 'This customer was offboarded. The check cannot be repeated.')],
])

/** Returns the texts of a status. An unknown status of the provider is shown by its name and leaves the check open. */
export const statusTexts = (status: string): StatusText => known.get(status) ?? open(status, 'neutral')
