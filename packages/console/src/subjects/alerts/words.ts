// Alerts in words: their kinds, their states, and the page of what they are about.

import type { Alert, AlertChannel, AlertChannelType, AlertKind, AlertMessage } from '@causeway/sdk'
import type { Tone } from '../../components/ui/badge.tsx'
import { may, type Session } from '../../session/session.ts'
import { placeOf } from '../places.ts'

type Role = Session['role']
type Place = { to: string; search?: Record<string, string> }

/** Each with the owners who get it. A kind that the API has and this table lacks does not compile. */
const kinds: Readonly<Record<AlertKind, readonly [words: string, ...owners: Role[]]>> = {
  'endpoint.failing': ['Endpoint failing', 'business'],
  'endpoint.disabled': ['Endpoint disabled', 'business'],
  'deposit.in_review': ['Deposit in review', 'business'],
  'deposit.on_hold': ['Deposit on hold', 'business'],
  'virtual_account.suspended': ['Account suspended', 'business'],
  'virtual_account.bank_details_changed': ['Bank details changed', 'business'],
  'information_request.open': ['Information request open', 'business', 'operator'],
  'api_key.created': ['API key created', 'business'],
  'api_key.rolled': ['API key rolled', 'business'],
  'api_key.revoked': ['API key revoked', 'business'],
  'provider.failing': ['Provider failing', 'operator'],
  'provider.responses_unreadable': ['Provider responses unreadable', 'operator'],
  'provider.webhook_key_changed': ['Provider signs with an unknown key', 'operator'],
  'operations.unknown': ['Writes with an unknown outcome', 'operator'],
  'deliveries.backlog': ['Deliveries are late', 'operator'],
  'events.without_owner': ['Events without an owner', 'operator'],
  'events.quarantined': ['Events quarantined', 'operator'],
  'database.full': ['Database cannot store data', 'operator'],
}

/** @returns words of a later version as they are */
export const kindWords = (kind: string): string => (Object.hasOwn(kinds, kind) ? kinds[kind as AlertKind][0] : kind)

export const kindOptions = (role: Role): (readonly [AlertKind, string])[] =>
  (Object.keys(kinds) as AlertKind[]).flatMap((kind) => {
    const [words, ...owners] = kinds[kind]
    return owners.includes(role) ? [[kind, words] as const] : []
  })

export const alertStates: Readonly<Record<Alert['state'], readonly [Tone, string]>> = {
  open: ['bad', 'Open'],
  recovered: ['good', 'Recovered'],
  occurred: ['idle', 'Occurred'],
}

export const messageStates: Readonly<Record<AlertMessage['state'], readonly [Tone, string]>> = {
  pending: ['busy', 'Pending'],
  sent: ['good', 'Sent'],
  failed: ['bad', 'Failed'],
}

export const channelStates: Readonly<Record<AlertChannel['status'], readonly [Tone, string]>> = {
  enabled: ['good', 'Enabled'],
  paused: ['off', 'Paused'],
}

export const typeWords: Readonly<Record<AlertChannelType, string>> = {
  email: 'Email',
  slack: 'Slack',
  webhook: 'Webhook',
}

const scopeByPrefix: Readonly<Record<string, string>> = {
  whe: 'webhooks:read',
  dep: 'virtual_accounts:read',
  va: 'virtual_accounts:read',
}

const operatorPlaces: Readonly<Record<string, string>> = {
  'events.without_owner': '/operator/events',
  'events.quarantined': '/operator/events',
}

/** The page of what an alert is about; null where the session may not open it, or there is none. */
export function subjectPlace({ kind, subjectId, details }: Alert, session: Session): Place | null {
  if (session.role === 'operator') return { to: operatorPlaces[kind] ?? '/operator' }
  if (subjectId.startsWith('key_')) return may(session, 'api_keys:read') ? { to: '/developers/keys' } : null
  const { depositId } = details
  const id = typeof depositId === 'string' ? depositId : subjectId
  const to = placeOf(id)
  const scope = scopeByPrefix[id.slice(0, id.lastIndexOf('_'))]
  return to !== undefined && scope !== undefined && may(session, scope) ? { to } : null
}

/** A host, the name of a key, or an ID. */
export function subjectWords({ subjectId, details }: Alert): string {
  const name = details['host'] ?? details['name']
  return typeof name === 'string' ? name : subjectId
}

/** A code such as `deposits_restricted` in words. */
const wordsOf = (value: string | number): string =>
  /^[a-z]+(_[a-z]+)+$/.test(String(value)) ? String(value).replaceAll('_', ' ') : String(value)

const facts = { reason: '', deadline: 'Deadline: ', count: 'Count: ' } as const

/** Further facts, such as “Count: 3”; empty if there are none. */
export const factsOf = ({ details }: Alert): string =>
  Object.entries(facts)
    .flatMap(([name, label]) => {
      const value = details[name]
      return typeof value === 'string' || typeof value === 'number' ? [`${label}${wordsOf(value)}`] : []
    })
    .join(', ')
    .replace(/^./, (first) => first.toUpperCase())
