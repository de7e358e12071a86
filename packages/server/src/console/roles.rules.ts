// Roles of staff: each is a set of the scopes that exist. The operator's roles have no scopes: `support` may only read.

import type { MappedRole } from '../platform/config.ts'
import { type Scope, scopes } from '../platform/http/caller.ts'

const scopesByRole = {
  admin: scopes,
  developer: ['webhooks:read', 'webhooks:write', 'events:read', 'events:write', 'api_keys:read', 'api_keys:write'],
  support: ['end_users:read', 'end_users:write', 'virtual_accounts:read', 'events:read'],
  finance: ['virtual_accounts:read'],
} as const satisfies Record<MappedRole, readonly Scope[]>

export type StaffRole = MappedRole

/** Lists the scopes of all roles together, in the order of `scopes`. */
export function scopesOf(roles: readonly StaffRole[]): Scope[] {
  const held: ReadonlySet<Scope> = new Set(roles.flatMap((role) => scopesByRole[role]))
  return scopes.filter((scope) => held.has(scope))
}

/** Returns whether the operator's staff may send a request with this method. */
export function mayOperate(roles: readonly StaffRole[], method: string): boolean {
  if (roles.includes('admin')) return true
  return roles.includes('support') && (method === 'GET' || method === 'HEAD')
}
