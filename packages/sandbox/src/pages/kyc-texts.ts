// Owns the words of the identity check: the outcomes a person can choose, and what each status means to them.
import type { KycOutcome } from './page-flows.ts'

export type Tone = 'neutral' | 'success' | 'warning' | 'danger'

type OutcomeChoice = { label: string; effect: string; result: { tone: Tone; title: string; text: string } }

export const outcomeChoices: Readonly<Record<KycOutcome, OutcomeChoice>> = {
  approve: {
    label: 'Approve',
    effect: 'The customer becomes active and can receive money.',
    result: {
      tone: 'success',
      title: 'Check passed',
      text: 'The sandbox approves this customer within seconds. Your application hears of it by webhook.',
    },
  },
  reject: {
    label: 'Reject',
    effect: 'The customer is turned down, with a reason.',
    result: {
      tone: 'danger',
      title: 'Check failed',
      text: 'The sandbox rejects this customer within seconds, with a reason that your application can show.',
    },
  },
  review: {
    label: 'Send to manual review',
    effect: 'The check stays open until somebody decides.',
    result: {
      tone: 'warning',
      title: 'In manual review',
      text: 'The check stays under review. Decide it later here or by a control command.',
    },
  },
  request_document: {
    label: 'Ask for another document',
    effect: 'The check is incomplete and says what is missing.',
    result: {
      tone: 'warning',
      title: 'Another document is needed',
      text: 'The check is incomplete now. Your application sees which document is missing.',
    },
  },
}

export const kycOutcomes: readonly KycOutcome[] = ['approve', 'reject', 'review', 'request_document']

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
  ['approved', closed('Approved', 'success', 'The check is done and passed. There is nothing left to do here.')],
  ['active', closed('Active', 'success', 'The check is done and passed. There is nothing left to do here.')],
  ['paused', closed('Paused', 'danger', 'This customer is paused. The check cannot be repeated here.')],
  ['offboarded', closed('Offboarded', 'danger', 'This customer was offboarded. The check cannot be repeated.')],
])

/** Statuses grow at the provider: one we do not know is shown by its own name and leaves the check open. */
export const statusTexts = (status: string): StatusText => known.get(status) ?? open(status, 'neutral')
