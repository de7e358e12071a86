// The caller: a business, as a request's credential makes it known, and what its key may do.

export const scopes = [
  'end_users:read',
  'end_users:write',
  'virtual_accounts:read',
  'virtual_accounts:write',
  'webhooks:read',
  'webhooks:write',
  'events:read',
  'events:write',
  'api_keys:read',
  'api_keys:write',
] as const

export type Scope = (typeof scopes)[number]

/** Only authentication makes one: whoever holds a `Business` may act as it. */
export type Business = {
  id: string
  name: string
  status: 'active' | 'suspended'
  keyId: string
  scopes: readonly Scope[]
  /** Of the request that it makes; null outside of one. */
  requestId: string | null
}
