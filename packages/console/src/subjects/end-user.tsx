// The states of an end-user, in words: several subjects show end-users. A state that is newer than this page is shown as it is
// called.

import type { EndUserType, FiatCurrency, KycStatus, RailStatus, TosStatus } from '@causeway/sdk'
import { Link } from '@tanstack/react-router'
import { Badge, type Tone } from '../components/ui/badge.tsx'

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
  inactive: ['idle', 'Not requested'],
  pending: ['busy', 'Pending'],
  active: ['good', 'Active'],
  action_required: ['warn', 'Action required'],
  revoked: ['off', 'Revoked'],
}

export const endUserTypeWords: Readonly<Record<EndUserType, string>> = { individual: 'Person', business: 'Company' }

export const endUserTypes: readonly (readonly [EndUserType, words: string])[] = [
  ['individual', endUserTypeWords.individual],
  ['business', endUserTypeWords.business],
]

/** In which accounts can be opened. */
export const currencies = ['usd', 'eur', 'mxn', 'brl', 'gbp', 'cop'] as const satisfies readonly FiatCurrency[]

/** The choices of a filter, in the order of a life. */
const choicesOf = (words: Words<string>) => Object.entries(words).map(([state, [, text]]) => [state, text] as const)

export const kycChoices = choicesOf(kyc)

const find = (words: Words<string>, status: string) => words[status] ?? (['idle', status] as const)

const badgeOf =
  (words: Words<string>) =>
  ({ status }: { status: string }) => {
    const [tone, text] = find(words, status)
    return <Badge tone={tone}>{text}</Badge>
  }

export const KycBadge = badgeOf(kyc)
export const TermsBadge = badgeOf(terms)
export const RailBadge = badgeOf(rail)

export const kycTone = (status: string): Tone => find(kyc, status)[0]
export const kycWords = (status: string): string => find(kyc, status)[1]

/** Leads to the end-user where the session may see them. */
export function EndUserName({ externalUserId, isLink }: { externalUserId: string; isLink: boolean }) {
  if (!isLink) return externalUserId
  return (
    <Link to="/end-users/$externalUserId" params={{ externalUserId }} className="break-all text-accent underline">
      {externalUserId}
    </Link>
  )
}
