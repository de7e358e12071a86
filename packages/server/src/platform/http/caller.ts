// The caller: a business, identified by the credential of its request, with the scopes of its key. And the actor for
// the audit log: a key, the operator, the provider, or this service.

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

/** Only authentication creates a `Business`: code that holds one may act for the business. */
export type Business = {
  id: string
  name: string
  status: 'active' | 'suspended'
  keyId: string
  scopes: readonly Scope[]
  /** The console session that acts with the key; null if the request carries the key. */
  sessionId: string | null
  /** The console link that opened the session; null for other callers. */
  consoleLinkId: string | null
  /** ID of the current request; null outside a request. */
  requestId: string | null
}

/**
 * The actor: an API key's ID or `operator`, each followed by `/` and the session ID for actions in the console;
 * `provider` for changes by the provider; or `causeway`.
 */
export type Actor = { name: string; requestId: string | null }

/** The operator on the command line. Over HTTP, the actor has the ID of its request. */
export const operator: Actor = { name: 'operator', requestId: null }

export const causeway: Actor = { name: 'causeway', requestId: null }

export const theProvider: Actor = { name: 'provider', requestId: null }

export function actorOf({ keyId, sessionId, requestId }: Pick<Business, 'keyId' | 'sessionId' | 'requestId'>): Actor {
  return { name: sessionId === null ? keyId : `${keyId}/${sessionId}`, requestId }
}
