// The states of the API in the reader's words. A state that is newer than this page is shown as it is called.

import type {
  DepositStatus,
  EndUserType,
  KycStatus,
  RailStatus,
  TosStatus,
  VirtualAccountStatus,
  WebhookEndpointStatus,
} from '@causeway/sdk'
import { Badge, type Tone } from '../ui/badge.tsx'

type Words<State extends string> = Readonly<Record<State, readonly [tone: Tone, words: string]>>

const kyc: Words<KycStatus> = {
  not_started: ['idle', 'Not started'],
  under_review: ['busy', 'Under review'],
  approved: ['good', 'Approved'],
  rejected: ['bad', 'Rejected'],
  action_required: ['warn', 'Action required'],
  paused: ['warn', 'Paused'],
  offboarded: ['off', 'Offboarded'],
}

const terms: Words<TosStatus> = {
  pending: ['idle', 'Not accepted'],
  approved: ['good', 'Accepted'],
  expired: ['warn', 'Link expired'],
}

const rail: Words<RailStatus> = {
  inactive: ['idle', 'Not asked for'],
  pending: ['busy', 'Pending'],
  active: ['good', 'Active'],
  action_required: ['warn', 'Action required'],
  revoked: ['off', 'Revoked'],
}

const account: Words<VirtualAccountStatus> = {
  pending: ['busy', 'Opening'],
  active: ['good', 'Active'],
  deactivated: ['off', 'Deactivated'],
  failed: ['bad', 'Failed'],
}

const deposit: Words<DepositStatus> = {
  scheduled: ['idle', 'Scheduled'],
  received: ['busy', 'Received'],
  in_review: ['warn', 'In review'],
  payout_submitted: ['busy', 'Payout sent'],
  completed: ['good', 'Completed'],
  refund_pending: ['warn', 'Refund pending'],
  refunded: ['off', 'Refunded'],
  failed: ['bad', 'Failed'],
  microdeposit: ['idle', 'Microdeposit'],
}

const endpoint: Words<WebhookEndpointStatus> = {
  enabled: ['good', 'Enabled'],
  paused: ['idle', 'Paused'],
  disabled: ['bad', 'Disabled'],
}

export const endUserTypeWords: Readonly<Record<EndUserType, string>> = { individual: 'Person', business: 'Company' }

/** The choices of a filter, in the order of a life. */
const choicesOf = (words: Words<string>) => Object.entries(words).map(([state, [, text]]) => [state, text] as const)

export const kycChoices = choicesOf(kyc)
export const accountChoices = choicesOf(account)
export const depositChoices = choicesOf(deposit)

const badgeOf =
  (words: Words<string>) =>
  ({ status }: { status: string }) => {
    const [tone, text] = words[status] ?? ['idle', status]
    return <Badge tone={tone}>{text}</Badge>
  }

export const KycBadge = badgeOf(kyc)
export const TermsBadge = badgeOf(terms)
export const RailBadge = badgeOf(rail)
export const AccountBadge = badgeOf(account)
export const DepositBadge = badgeOf(deposit)
export const EndpointBadge = badgeOf(endpoint)

const toneIn = (words: Words<string>, status: string): Tone => words[status]?.[0] ?? 'idle'
const wordsIn = (words: Words<string>, status: string): string => words[status]?.[1] ?? status

export const kycTone = (status: string): Tone => toneIn(kyc, status)
export const kycWords = (status: string): string => wordsIn(kyc, status)
export const depositTone = (status: string): Tone => toneIn(deposit, status)
export const depositWords = (status: string): string => wordsIn(deposit, status)
