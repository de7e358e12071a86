// Who is signed in, and how somebody signs in and out.

import { ApiError, type ErrorBody } from '@causeway/sdk'
import { queryOptions } from '@tanstack/react-query'
import { pageFetch, queryClient, sessionKey } from './client.ts'

export type Scope = string

export type Session = {
  id: string
  role: 'business' | 'operator'
  customerId: string | null
  name: string | null
  apiKeyId: string | null
  scopes: readonly Scope[]
  mode: 'sandbox' | 'live'
  expiresAt: string
}

/** `isLocal`: `npm start` runs it, which prints links. `isSandbox`: the provider is the emulator. */
export type ConsoleConfig = { mode: 'sandbox' | 'live'; isLocal: boolean; isSandbox: boolean }

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
