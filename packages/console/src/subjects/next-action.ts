// The one answer to “what now?” of an end-user, in words for the one who looks after them.

import type { EndUser, NextAction } from '@causeway/sdk'
import type { Tone } from '../components/ui/badge.tsx'

export type NextStep = { tone: Tone; title: string; advice: string }

const steps: Readonly<Record<NextAction['kind'], NextStep>> = {
  accept_tos: {
    tone: 'warn',
    title: 'Accept the Terms of Service',
    advice:
      'Give the end-user an onboarding link: its page asks for the terms and for all that follows. Or the Terms link alone.',
  },
  submit_kyc: {
    tone: 'warn',
    title: 'Submit KYC',
    advice:
      'Give the end-user an onboarding link: its page asks for the identity data. Or send them from your backend, or give away the provider’s KYC page.',
  },
  resubmit_kyc: {
    tone: 'warn',
    title: 'Submit KYC again',
    advice:
      'Give the end-user an onboarding link: its page asks for what is listed below. Or send that from your backend, or give away the provider’s KYC page.',
  },
  open_link: {
    tone: 'warn',
    title: 'Finish on the provider’s KYC page',
    advice: 'Give the end-user an onboarding link, which leads there, or the address of that page itself.',
  },
  wait: {
    tone: 'busy',
    title: 'Wait for the provider',
    advice: 'Nothing to do here. This page updates when the verdict arrives.',
  },
  contact_support: {
    tone: 'bad',
    title: 'Contact support',
    advice: 'No submission can clear this. Write to the support of the provider and quote the provider’s customer id.',
  },
  none: { tone: 'good', title: 'Nothing to do', advice: 'Accounts can be opened in every currency that is active.' },
}

/** What stands for a kind that is newer than this page. */
const unknownStep: NextStep = { tone: 'warn', title: 'Look at the end-user', advice: 'See the requirements below.' }

/** What the end-user has to do, and can do by an onboarding link. */
const ownSteps: readonly string[] = [
  'accept_tos',
  'submit_kyc',
  'resubmit_kyc',
  'open_link',
] satisfies readonly NextAction['kind'][]

export const isOwnStep = ({ nextAction: { kind } }: Pick<EndUser, 'nextAction'>): boolean => ownSteps.includes(kind)

const isKnown = (kind: string): kind is NextAction['kind'] => Object.hasOwn(steps, kind)

const informationRequested: NextStep = {
  tone: 'bad',
  title: 'Contact support: information requested',
  advice:
    'The provider requested information, and somebody with an account at the provider must respond. Write to the operator’s support before the deadline below.',
}

export function nextStepOf({ nextAction: { kind, reason } }: Pick<EndUser, 'nextAction'>): NextStep {
  if (reason === 'information_requested') return informationRequested
  return isKnown(kind) ? steps[kind] : unknownStep
}

/** “proof_of_address_document” as people write it. */
export function plainName(name: string): string {
  const words = name.replaceAll(/[_.]+/g, ' ').trim()
  return words === '' ? name : words.charAt(0).toUpperCase() + words.slice(1)
}
