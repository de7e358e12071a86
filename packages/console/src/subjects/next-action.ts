// The next action of an end-user, in words for support staff.

import type { EndUser, NextAction } from '@causeway/sdk'
import type { Tone } from '../components/ui/badge.tsx'

export type NextStep = { tone: Tone; title: string; advice: string }

const steps: Readonly<Record<NextAction['kind'], NextStep>> = {
  accept_tos: {
    tone: 'warn',
    title: 'Accept the Terms of Service',
    advice:
      'Send the end-user an onboarding link, which covers the terms and all later steps. Or send the Terms link alone.',
  },
  submit_kyc: {
    tone: 'warn',
    title: 'Submit KYC',
    advice:
      'Send the end-user an onboarding link. Or submit KYC data from your backend, or send the provider’s KYC page.',
  },
  resubmit_kyc: {
    tone: 'warn',
    title: 'Resubmit KYC',
    advice:
      'Send the end-user an onboarding link, which asks for what is missing below. Or submit the data from your backend, or send the provider’s KYC page.',
  },
  open_link: {
    tone: 'warn',
    title: 'Finish on the provider’s KYC page',
    advice: 'Send the end-user an onboarding link, which leads to that page, or send the page’s own link.',
  },
  wait: {
    tone: 'busy',
    title: 'Wait for the provider',
    advice: 'No action needed. This page updates when the provider decides.',
  },
  contact_support: {
    tone: 'bad',
    title: 'Contact support',
    advice: 'The end-user cannot continue. Contact your Causeway operator and quote the provider customer ID.',
  },
  none: { tone: 'good', title: 'No action needed', advice: 'You can open accounts in every active currency.' },
}

/** The text for a kind that is newer than this page. */
const unknownStep: NextStep = { tone: 'warn', title: 'Check the end-user', advice: 'See the requirements below.' }

/** Actions of the end-user that an onboarding link makes possible. */
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
    'The provider requested information that only the operator can submit. Contact your Causeway operator before the deadline below.',
}

export function nextStepOf({ nextAction: { kind, reason } }: Pick<EndUser, 'nextAction'>): NextStep {
  if (reason === 'information_requested') return informationRequested
  return isKnown(kind) ? steps[kind] : unknownStep
}

/** “proof_of_address_document” as people write it. */
export function plainName(name: string): string {
  const words = name
    .replaceAll(/[_.]+/g, ' ')
    .replaceAll(/\bid\b/g, 'ID')
    .trim()
  return words === '' ? name : words.charAt(0).toUpperCase() + words.slice(1)
}
