// Claims of an issuer → roles of a member of staff.

import type { MappedRole, RoleMapping } from '../../platform/config.ts'
import { businessRoles } from '../../platform/role-mapping.ts'

export type Claims = Readonly<Record<string, unknown>>

/**
 * Lists the roles of a person: every value of the claim counts, and values without a role are ignored.
 * An email address counts only if the issuer has verified it.
 */
export function rolesOf({ claim, values }: RoleMapping, claims: Claims): MappedRole[] {
  if (claim === 'email' && claims['email_verified'] !== true) return []
  const found = new Set(
    textsIn(claimAt(claims, claim)).flatMap((value) => (Object.hasOwn(values, value) ? [values[value]] : [])),
  )
  return businessRoles.filter((role) => found.has(role))
}

/** Whether the claim is there at all: if not, the issuer may have it in the response of its userinfo endpoint. */
export const hasClaim = ({ claim }: RoleMapping, claims: Claims): boolean => claimAt(claims, claim) !== undefined

/** A name with dots is first looked up as it is: some issuers name claims by URL. */
function claimAt(claims: Claims, claim: string): unknown {
  if (Object.hasOwn(claims, claim)) return claims[claim]
  let value: unknown = claims
  for (const name of claim.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    value = (value as Claims)[name]
  }
  return value
}

function textsIn(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).filter((one) => typeof one === 'string')
}

const textCharsMax = 200

/** A claim that pages and the audit log show: a text of one line, cut; null if there is none. */
export function shownClaim(claims: Claims, name: string): string | null {
  const value = claims[name]
  if (typeof value !== 'string') return null
  const line = value
    .replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '')
    .trim()
    .slice(0, textCharsMax)
  return line === '' ? null : line
}
