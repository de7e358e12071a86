// The entries of the audit log as sentences.

import type { AuditAction, AuditEntry } from '@causeway/sdk'
import { scopeWords } from '../scopes.tsx'
import { type Owner, requestsPath } from './owner.ts'

type Details = AuditEntry['details']

type Words = {
  /** The action, as a text after the name of the actor. */
  did: string
  /** Further details of the action. */
  more?: (details: Details) => string | null
}

const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : []

const scopes = ({ scopes }: Details): string | null => {
  const given = textsOf(scopes)
  return given.length > 0 ? `Scopes: ${scopeWords(given)}` : null
}

const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })

const until = ({ expiresAt }: Details): string =>
  typeof expiresAt === 'string' ? `expires ${day.format(new Date(expiresAt))} UTC` : 'never expires'

const hours = (name: string, words: string) => (details: Details) => {
  const count = details[name]
  if (typeof count !== 'number') return null
  return count === 0 ? `${words} expired immediately` : `${words} expires after ${count} hour${count === 1 ? '' : 's'}`
}

function walletOf(value: unknown): string | null {
  if (typeof value !== 'object' || value === null) return null
  const {
    destinationPaymentRail: rail,
    destinationCurrency: currency,
    destinationAddress: address,
    destinationBridgeWalletId: wallet,
    destinationPrefundedAccountId: prefunded,
  } = Object.fromEntries(Object.entries(value))
  const target = wallet ?? prefunded ?? address
  return typeof target === 'string' ? `${currency} on ${rail} to ${target}` : null
}

const move = ({ from, to }: Details): string | null => {
  const [before, after] = [walletOf(from), walletOf(to)]
  return after === null ? null : `${before === null ? '' : `From ${before} `}to ${after}`
}

/** `bankName` is read as "bank name". */
const parts = ({ changed }: Details): string | null => {
  const names = textsOf(changed).map((name) => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`))
  return names.length > 0 ? `Changed: ${names.join(', ')}` : null
}

/** All that there can be: an action without words does not compile. */
export const words: Readonly<Record<AuditAction, Words>> = {
  'customer.created': { did: 'created this business' },
  'customer.renamed': { did: 'renamed this business' },
  'customer.suspended': { did: 'suspended this business' },
  'customer.resumed': { did: 'resumed this business' },
  'api_key.created': {
    did: 'created an API key',
    more: (details) => [scopes(details), until(details)].filter((part) => part !== null).join(', '),
  },
  'api_key.rolled': { did: 'rolled an API key', more: hours('expiresInHours', 'The old key') },
  'api_key.revoked': { did: 'revoked an API key' },
  'console_link.created': { did: 'created a console link', more: scopes },
  'console_link.revoked': { did: 'revoked a console link' },
  'onboarding_link.created': { did: 'created an onboarding link' },
  'onboarding_link.revoked': { did: 'revoked an onboarding link' },
  'branding.changed': { did: 'changed the branding' },
  'console_session.opened': {
    did: 'signed in to the console',
    more: ({ linkId, roles }) => {
      const held = textsOf(roles)
      if (held.length > 0) return `${held.length === 1 ? 'Role' : 'Roles'}: ${held.join(', ')}`
      return typeof linkId === 'string' ? 'With a one-time link' : 'With the API key'
    },
  },
  'console_session.ended': { did: 'signed out of the console' },
  'sign_in.changed': {
    did: 'changed the sign-in of the staff',
    more: ({ issuer }) => (typeof issuer === 'string' ? issuer : null),
  },
  'sign_in.removed': { did: 'removed the sign-in of the staff' },
  'staff.signed_out': { did: 'signed a staff member out everywhere' },
  'webhook_endpoint.created': {
    did: 'created a webhook endpoint',
    more: ({ to }) => (typeof to === 'string' ? to : null),
  },
  'webhook_endpoint.changed': {
    did: 'changed a webhook endpoint',
    more: ({ fields, from, to }) =>
      [textsOf(fields).join(', '), ...(typeof to === 'string' ? [`from ${from} to ${to}`] : [])].join(' '),
  },
  'webhook_endpoint.enabled': { did: 'enabled a webhook endpoint' },
  'webhook_endpoint.paused': { did: 'paused a webhook endpoint' },
  'webhook_endpoint.disabled': {
    did: 'disabled a webhook endpoint',
    more: ({ reason }) => (typeof reason === 'string' ? reason : null),
  },
  'webhook_endpoint.deleted': { did: 'deleted a webhook endpoint' },
  'webhook_endpoint.secret_rotated': {
    did: 'rotated a signing secret',
    more: hours('overlapHours', 'The old secret'),
  },
  'alert_channel.created': { did: 'created an alert channel' },
  'alert_channel.changed': { did: 'changed an alert channel', more: ({ fields }) => textsOf(fields).join(', ') },
  'alert_channel.deleted': { did: 'deleted an alert channel' },
  'end_user.deleted': { did: 'deleted an end-user' },
  'virtual_account.deactivated': { did: 'deactivated an account' },
  'virtual_account.reactivated': { did: 'reactivated an account' },
  'virtual_account.destination.requested': { did: 'requested a destination change', more: move },
  'virtual_account.destination.cancelled': { did: 'canceled a destination change', more: move },
  'virtual_account.destination.changed': { did: 'changed a payout destination', more: move },
  'virtual_account.destination.refused': { did: 'was refused a destination change', more: move },
  'virtual_account.destination.unconfirmed': { did: 'could not confirm a destination change', more: move },
  'virtual_account.bank_details.changed': { did: 'changed the bank details of an account', more: parts },
  'provider.connected': { did: 'connected the provider' },
  'deployment_secret.rotated': { did: 'rotated the deployment secret' },
  'database.restored': { did: 'restored the database from a backup' },
}

/** Labels in the list of actions: “created an API key” → “Created an API key”. */
export const actionOptions = Object.entries(words)
  .filter(([action]) => !action.startsWith('provider.') && !action.startsWith('deployment_'))
  .map(([action, { did }]) => [action, did.charAt(0).toUpperCase() + did.slice(1)] as const)

/** A page about what was changed; null where there is none, or where the operator may not read it. */
export function pageOf(subjectId: string, owner: Owner): { to: string; search?: Record<string, string> } | null {
  if (/^(key|staff|console_session)_/.test(subjectId)) return { to: requestsPath(owner), search: { by: subjectId } }
  if (owner !== null) return null
  if (subjectId.startsWith('va_')) return { to: `/accounts/${subjectId}` }
  if (subjectId.startsWith('whe_')) return { to: `/webhooks/${subjectId}` }
  if (subjectId.startsWith('eu_')) return { to: '/end-users', search: { q: subjectId } }
  return subjectId.startsWith('console_link_') ? { to: '/developers/links' } : null
}

/** An entry, and how many of its kind by the same caller came right before it: sign-ins come by the dozen. */
export type AuditGroup = AuditEntry & { earlierCount: number }

/** @param entries the newest first */
export function grouped(entries: readonly AuditEntry[]): AuditGroup[] {
  const groups: AuditGroup[] = []
  for (const entry of entries) {
    const last = groups.at(-1)
    const isSame = last?.action === entry.action && last.actor === entry.actor
    if (last && isSame && entry.action.startsWith('console_session.')) last.earlierCount += 1
    else groups.push({ ...entry, earlierCount: 0 })
  }
  return groups
}

const subjects: readonly (readonly [prefix: string, words: string])[] = [
  ['console_session_', 'Session'],
  ['console_link_', 'Link'],
  ['onboarding_link_', 'Onboarding link'],
  ['key_', 'Key'],
  ['staff_', 'Staff member'],
  ['whe_', 'Endpoint'],
  ['va_', 'Account'],
  ['eu_', 'End-user'],
  ['biz_', 'Business'],
]

/** Returns the kind of object with this ID. */
export const subjectOf = (id: string): string => subjects.find(([prefix]) => id.startsWith(prefix))?.[1] ?? ''

/** @returns words of a later version as they are */
export function wordsOf({ action, details }: AuditEntry): { did: string; more: string | null } {
  const known: Words | undefined = words[action]
  return { did: known?.did ?? action, more: known?.more?.(details) || null }
}
