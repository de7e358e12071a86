// How claims of an OpenID Connect issuer become roles of staff: the setting of a deployment, or of a business.

import type { MappedRole, RoleMapping } from './config.ts'

/** Roles of a business's staff, in the order in which they are listed. */
export const businessRoles = ['admin', 'developer', 'support', 'finance'] as const satisfies readonly MappedRole[]
/** Roles of the operator's staff. */
export const operatorRoles = ['admin', 'support'] as const satisfies readonly MappedRole[]

export const roleValuesMax = 50
export const roleValueCharsMax = 200

/**
 * Reads a mapping from JSON such as `{"claim":"groups","values":{"platform-admins":"admin"}}`.
 * @param roles that the mapping may name
 * @throws RangeError with the rule that it breaks
 */
export function readRoleMapping(text: string, roles: readonly MappedRole[]): RoleMapping {
  const { claim, values, ...rest } = objectIn(parse(text), 'the setting')
  const [unknown] = Object.keys(rest)
  if (unknown !== undefined) throw new RangeError(`has the unknown member ${JSON.stringify(unknown)}`)
  if (typeof claim !== 'string' || claim === '' || claim.length > roleValueCharsMax)
    throw new RangeError('needs `claim`, the name of a claim')
  const entries = Object.entries(objectIn(values, '`values`'))
  if (entries.length === 0 || entries.length > roleValuesMax)
    throw new RangeError(`needs \`values\` with 1 to ${roleValuesMax} members`)
  const mapped = entries.map(([value, role]) => {
    const known = roles.find((name) => name === role)
    if (known === undefined) throw new RangeError(`may name only the roles ${roles.join(' and ')}`)
    return [value, known] as const
  })
  return { claim, values: Object.fromEntries(mapped) }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new RangeError('cannot be read')
  }
}

function objectIn(value: unknown, name: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new RangeError(`needs an object in ${name}`)
  return { ...value }
}
