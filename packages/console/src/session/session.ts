// Who is signed in, and how somebody signs in and out.

import { ApiError, type ErrorBody } from '@causeway/sdk'
import { queryOptions } from '@tanstack/react-query'
import { pageFetch, queryClient, sessionKey } from './client.ts'

export type Scope = string

/** A person who signed in with the account of their company. */
export type Staff = {
  id: string
  name: string | null
  email: string | null
  roles: readonly string[]
}

export type Session = {
  id: string
  role: 'business' | 'operator'
  customerId: string | null
  name: string | null
  apiKeyId: string | null
  /** Null for a session of a key, a link or the operator secret. */
  staff: Staff | null
  scopes: readonly Scope[]
  mode: 'sandbox' | 'live'
  expiresAt: string
}

/** `isLocal`: `npm start` runs it, which prints links. `isSandbox`: the provider is the emulator. */
export type ConsoleConfig = {
  mode: 'sandbox' | 'live'
  isLocal: boolean
  isSandbox: boolean
  /** Whether alerts can be sent by email. */
  canEmail: boolean
  /** Whether the staff of the operator can sign in with company accounts. */
  signIn?: { operator: boolean }
}

export type Credential = { apiKey: string } | { adminSecret: string } | { code: string }

async function ask<Data>(method: string, path: string, body?: unknown): Promise<Data> {
  const init: RequestInit = { method, headers: { accept: 'application/json' } }
  if (body !== undefined) {
    init.body = JSON.stringify(body)
    init.headers = { accept: 'application/json', 'content-type': 'application/json' }
  }
  const response = await pageFetch(path, init)
  const answer: unknown = await response.json().catch(() => null)
  if (!response.ok) {
    const requestId = response.headers.get('x-request-id')
    const facts = { status: response.status, requestId, retryAfterMs: null, nextCursor: null }
    throw new ApiError(facts, (answer as { error?: ErrorBody } | null)?.error ?? null)
  }
  return (answer as { data: Data }).data
}

/** The first request of the console: the deployment's configuration and the current session. */
export const configQuery = queryOptions({
  queryKey: ['config'],
  queryFn: async (): Promise<ConsoleConfig> => {
    const { session, ...config } = await ask<ConsoleConfig & { session: Session | null }>('GET', '/console/config')
    queryClient.setQueryData(sessionKey, session)
    return config
  },
  staleTime: Number.POSITIVE_INFINITY,
})

/** Who is signed in, as far as this page knows. */
export const knownSession = (): Session | null => queryClient.getQueryData<Session>(sessionKey) ?? null

/** Data from another session must not be visible in this one. */
export async function signIn(credential: Credential): Promise<Session> {
  const session = await ask<Session>('POST', '/console/session', credential)
  forget()
  queryClient.setQueryData(sessionKey, session)
  otherTabs.postMessage(null)
  return session
}

export async function signOut(): Promise<void> {
  await ask('DELETE', '/console/session').catch(() => {}) // a session that has ended is signed out
  forget()
  otherTabs.postMessage(null)
}

/**
 * Signs out, and ends all other sessions of the staff member.
 * @returns the page of the company's identity provider that signs out there as well; null if there is none
 */
export async function signOutEverywhere(): Promise<string | null> {
  const { endSessionUrl } = await ask<{ endSessionUrl?: string | null }>('DELETE', '/console/session?everywhere=true')
  forget()
  otherTabs.postMessage(null)
  return endSessionUrl ?? null
}

/** Where this browser keeps the business that a staff member signed in to, for the next sign-in. */
export const businessKey = 'causeway-business'

const nextKey = 'causeway-next'

/** The page to return to after a sign-in at the identity provider that failed. */
export const keptNext = (): string | undefined => sessionStorage.getItem(nextKey) || undefined

type AtIssuer = {
  /** The ID of a business, or `operator`. */
  owner: string
  /** The page to return to, below /console. */
  next?: string | undefined
  /** Whether the person must enter their credentials again. */
  isFresh?: boolean
}

/** Leaves the console for the company's identity provider, which leads back. */
export function goToIssuer({ owner, next, isFresh = false }: AtIssuer): void {
  sessionStorage.setItem(nextKey, next ?? '')
  const query = new URLSearchParams({
    ...(next !== undefined && { next: `/console${next}` }),
    ...(isFresh && { fresh: '1' }),
  })
  location.assign(`/console/sign-in/${encodeURIComponent(owner)}${query.size === 0 ? '' : `?${query}`}`)
}

/** Who is signed in now, whatever this page shows. */
export const currentSession = async (): Promise<Session | null> =>
  (await ask<{ session: Session | null }>('GET', '/console/config')).session

/** Announces a sign-in or a sign-out to the other tabs. */
const otherTabs = new BroadcastChannel('causeway-console-session')

/** Calls when another tab has signed in or out. */
export function whenOtherTabSigns(listener: () => void): void {
  otherTabs.onmessage = listener
}

/** Forgets everything that the session has read. */
export function forget(): void {
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'config' })
}

export const may = ({ scopes }: Session, scope: Scope): boolean => scopes.includes(scope)

/** Whether the operator's session may change anything: of the roles of its staff, only `admin` may. */
export const mayOperate = ({ staff }: Session): boolean => staff === null || staff.roles.includes('admin')
