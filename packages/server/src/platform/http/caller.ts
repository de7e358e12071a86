// Who calls: a business, as the credential of its request makes it known, and what its key may do. And who acts, for the
// audit log: a key, the operator, the provider, or this service itself.

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

/** `business`: an API key. `operator`: the operator secret. `page`: the page of an onboarding link. `none`: anybody. */
export type Caller = 'business' | 'operator' | 'page' | 'none'

/** Only authentication makes one: whoever holds a `Business` may act as it. */
export type Business = {
  id: string
  name: string
  status: 'active' | 'suspended'
  keyId: string
  scopes: readonly Scope[]
  /** The session of the console that acts with the key; null of a request that carries the key itself. */
  sessionId: string | null
  /** The console link that opened the session; null of any other caller. */
  consoleLinkId: string | null
  /** Of the request that it makes; null outside of one. */
  requestId: string | null
}

/**
 * Who acts: an API key's id or `operator`, each followed by `/` and the id of the session where somebody acts in the console;
 * `provider` where the provider itself made the change; or `causeway`.
 */
export type Actor = { name: string; requestId: string | null }

/** The operator at the shell. Over HTTP it has the id of its request. */
export const operator: Actor = { name: 'operator', requestId: null }

export const causeway: Actor = { name: 'causeway', requestId: null }

export const theProvider: Actor = { name: 'provider', requestId: null }

export function actorOf({ keyId, sessionId, requestId }: Pick<Business, 'keyId' | 'sessionId' | 'requestId'>): Actor {
  return { name: sessionId === null ? keyId : `${keyId}/${sessionId}`, requestId }
}
