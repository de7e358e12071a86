// Commands that need no search: the pages of the navigation, and the dialogs that create something.

import { may, mayOperate, type Session } from '../../session/session.ts'
import type { NavItem } from '../nav.ts'

/** `hash` opens a dialog of the page. */
export type Place = { to: string; title: string; hash?: string }

type Action = Place & {
  role: Session['role']
  scope?: string
  sandboxOnly?: true
  /** Not for staff who signed in with a company account. */
  keyOnly?: true
}

const actions: readonly Action[] = [
  { role: 'business', title: 'Create end-user', to: '/end-users', hash: 'create', scope: 'end_users:write' },
  { role: 'business', title: 'Open account', to: '/accounts', hash: 'create', scope: 'virtual_accounts:write' },
  { role: 'business', title: 'Create endpoint', to: '/webhooks', hash: 'create', scope: 'webhooks:write' },
  { role: 'business', title: 'Create alert channel', to: '/alerts/channels', hash: 'create', scope: 'webhooks:write' },
  { role: 'business', title: 'Create API key', to: '/developers/keys', hash: 'create', scope: 'api_keys:write' },
  {
    role: 'business',
    title: 'Create console link',
    to: '/developers/links',
    hash: 'create',
    scope: 'api_keys:write',
    keyOnly: true,
  },
  { role: 'business', title: 'Reconciliation report', to: '/deposits/report', scope: 'virtual_accounts:read' },
  { role: 'business', title: 'Create test end-user', to: '/sandbox', scope: 'end_users:write', sandboxOnly: true },
  { role: 'business', title: 'Simulate deposit', to: '/sandbox', scope: 'virtual_accounts:write', sandboxOnly: true },
  { role: 'business', title: 'Operator pages (sign in as the operator)', to: '/operator' },
  { role: 'operator', title: 'Create alert channel', to: '/operator/alerts/channels', hash: 'create' },
  { role: 'operator', title: 'Create business', to: '/operator/businesses', hash: 'create' },
]

export function actionsOf(session: Session, isSandbox: boolean): readonly Place[] {
  return actions.filter(
    ({ role, scope, sandboxOnly, keyOnly }) =>
      role === session.role &&
      (role === 'business' || mayOperate(session)) &&
      (scope === undefined || may(session, scope)) &&
      (sandboxOnly === undefined || isSandbox) &&
      (keyOnly === undefined || session.staff === null),
  )
}

export function pagesOf(items: readonly NavItem[], session: Session): readonly Place[] {
  return items.flatMap(({ to, label, children = [] }) => [
    { to, title: label },
    ...children
      .filter((child) => child.to !== to && (child.scope === undefined || may(session, child.scope)))
      .map((child) => ({ to: child.to, title: child.label })),
  ])
}

/** Those with every word of the text in their title. */
export function fitting<One extends { title: string }>(places: readonly One[], text: string): readonly One[] {
  const words = text.toLowerCase().split(/\s+/)
  return places.filter(({ title }) => words.every((word) => title.toLowerCase().includes(word)))
}
