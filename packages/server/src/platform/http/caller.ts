// The caller: a business, identified by the credential of its request, with the scopes of its key or of the roles of a
// staff member. And the actor for the audit log: a key, a staff member, the operator, the provider, or this service.

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
  /** ID of the API key, or of the staff member who is signed in to the console. */
  credentialId: string
  /** The staff member; null for other callers. */
  person: Person | null
  scopes: readonly Scope[]
  /** The console session that acts; null if the request carries the key. */
  sessionId: string | null
  /** The console link that opened the session; null for other callers. */
  consoleLinkId: string | null
  /** ID of the current request; null outside a request. */
  requestId: string | null
}

/** A staff member as the issuer named them when they signed in: the `sub` and `email` claims. */
export type Person = { subject: string; email: string | null }

/**
 * The actor: the ID of an API key or staff member, or `operator`, each followed by `/` and the session ID for actions in
 * the console; `provider` for changes by the provider; or `causeway`.
 */
export type Actor = { name: string; requestId: string | null; person: Person | null }

/** The operator on the command line. Over HTTP, the actor has the ID of its request. */
export const operator: Actor = { name: 'operator', requestId: null, person: null }

export const causeway: Actor = { name: 'causeway', requestId: null, person: null }

export const theProvider: Actor = { name: 'provider', requestId: null, person: null }

export function actorOf(business: Pick<Business, 'credentialId' | 'sessionId' | 'requestId' | 'person'>): Actor {
  const { credentialId, sessionId, requestId, person } = business
  return { name: sessionId === null ? credentialId : `${credentialId}/${sessionId}`, requestId, person }
}
