// Texts of the operator pages for states, sizes and waits.

import type { CustomerStatus, HeldEventState, ProviderStatus } from '@causeway/sdk'
import { groupDigits } from '../../components/money.tsx'
import { Badge, type Tone } from '../../components/ui/badge.tsx'

const statuses: Readonly<Record<CustomerStatus, readonly [Tone, string]>> = {
  active: ['good', 'Active'],
  suspended: ['bad', 'Suspended'],
}

export function BusinessBadge({ status }: { status: CustomerStatus }) {
  const [tone, words] = statuses[status]
  return <Badge tone={tone}>{words}</Badge>
}

/** In the middle of a sentence. */
export const kycWords: Readonly<Record<string, string>> = {
  not_started: 'not started',
  under_review: 'under review',
  approved: 'approved',
  rejected: 'rejected',
  action_required: 'action required',
  paused: 'paused',
  offboarded: 'offboarded',
}

const heldStates: Readonly<Record<HeldEventState, readonly [Tone, string]>> = {
  waiting: ['busy', 'Pending'],
  quarantined: ['bad', 'Quarantined'],
}

export function HeldBadge({ state }: { state: HeldEventState }) {
  const [tone, words] = heldStates[state]
  return <Badge tone={tone}>{words}</Badge>
}

const kibibyte = 1_024
const units = ['bytes', 'kB', 'MB', 'GB', 'TB']

/** “12.4 MB”. */
export function bytesWords(bytes: number): string {
  const power = bytes < kibibyte ? 0 : Math.min(units.length - 1, Math.floor(Math.log(bytes) / Math.log(kibibyte)))
  const size = bytes / kibibyte ** power
  return `${size >= 100 || power === 0 ? Math.round(size) : size.toFixed(1)} ${units[power]}`
}

/** “12,000”; a dash where nobody knows. */
export const countWords = (count: number | null): string => (count === null ? '–' : groupDigits(String(count)))

const spans = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
] as const

/** “3 hours”. */
export function waitWords(seconds: number): string {
  const [length, unit] = spans.find(([span]) => seconds >= span) ?? [1, 'second']
  const count = Math.round(seconds / length)
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

type Problem = NonNullable<ProviderStatus['problem']>

/** The problem, and the remedy. */
export const problemWords: Readonly<Record<Problem, string>> = {
  unauthorized: 'The provider refuses the API key. Set PROVIDER_API_KEY to a key for PROVIDER_URL.',
  rejected: 'The API key cannot read webhooks. Give it the scope to read and write webhooks.',
  not_found: 'No API was found at PROVIDER_URL. The URL ends in the version, such as /v0.',
  unavailable: 'The provider returns errors. Check its status page and PROVIDER_URL.',
  unreadable:
    'The provider responds, but its response cannot be read. Search the log for “provider response unreadable”.',
  unreachable: 'The provider cannot be reached. Check PROVIDER_URL, DNS, and whether this host may connect to it.',
  timeout: 'The provider did not respond within three seconds.',
}
