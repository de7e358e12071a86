// What the pages of developers read and write. Answers with a secret go to the dialog that shows it, and into no cache.

import type { ApiKeyScope, Query } from '@causeway/sdk'
import { queryOptions } from '@tanstack/react-query'
import { causeway, queryClient } from '../../session/client.ts'
import type { AuditSearch, RequestSearch } from './search.ts'

const rowsOfPage = 50

type CursorOnly = { cursor?: string }

export const keysQuery = (params: CursorOnly) =>
  queryOptions({
    queryKey: ['keys', 'list', params],
    queryFn: ({ signal }) => causeway.apiKeys.list({ ...params, limit: rowsOfPage }, { signal }).then(plain),
    placeholderData: (before) => before,
  })

/** The newest keys, for their names beside ids. */
export const keyNamesQuery = queryOptions({
  queryKey: ['keys', 'names'],
  queryFn: ({ signal }) => causeway.apiKeys.list({ limit: 100 }, { signal }).then(({ data }) => data),
  staleTime: 60_000,
})

export const linksQuery = (params: CursorOnly) =>
  queryOptions({
    queryKey: ['links', 'list', params],
    queryFn: ({ signal }) => causeway.consoleLinks.list({ ...params, limit: rowsOfPage }, { signal }).then(plain),
    placeholderData: (before) => before,
  })

/** Requests of the console are left out, except where they or one of its sessions are asked for. */
const clientOf = ({ console, id, by }: RequestSearch) =>
  console === 'shown' || id !== undefined || by?.startsWith('console_session_') ? {} : ({ client: 'api' } as const)

const timesOf = ({ from, to }: RequestSearch) => ({
  ...(from !== undefined && { createdAfter: from }),
  ...(to !== undefined && { createdBefore: to }),
})

export const requestErrorsQuery = (search: RequestSearch) => {
  const params: Query<'listRequestErrors'> = { ...clientOf(search), ...timesOf(search) }
  return queryOptions({
    queryKey: ['requests', 'errors', params],
    queryFn: ({ signal }) => causeway.requests.errors(params, { signal }),
  })
}

export const requestsQuery = (search: RequestSearch) => {
  const { id, from: _from, to: _to, view, console: _console, error, ...rest } = search
  const params: Query<'listRequests'> = {
    ...(rest as Pick<Query<'listRequests'>, 'method'>),
    ...clientOf(search),
    ...timesOf(search),
    ...(view === 'errors' && { error: error ?? '*' }),
    ...(view === 'writes' && { kind: 'write' }),
    ...(id !== undefined && { requestId: id }),
    limit: rowsOfPage,
  }
  return queryOptions({
    queryKey: ['requests', 'list', params],
    queryFn: ({ signal }) => causeway.requests.list(params, { signal }).then(plain),
    placeholderData: (before) => before,
  })
}

/** Null where the log does not hold it. */
export const requestQuery = (requestId: string) =>
  queryOptions({
    queryKey: ['requests', 'one', requestId],
    queryFn: async ({ signal }) => (await causeway.requests.list({ requestId, limit: 1 }, { signal })).data[0] ?? null,
  })

export const auditQuery = ({ from, to, ...rest }: AuditSearch) => {
  const params: Query<'listAuditLog'> = {
    ...(rest as Pick<Query<'listAuditLog'>, 'action'>),
    ...(from !== undefined && { createdAfter: from }),
    ...(to !== undefined && { createdBefore: to }),
    limit: rowsOfPage,
  }
  return queryOptions({
    queryKey: ['audit', 'list', params],
    queryFn: ({ signal }) => causeway.auditLog.list(params, { signal }).then(plain),
    placeholderData: (before) => before,
  })
}

/** A page without its methods: what a cache keeps is data. */
const plain = <Item>({ data, nextCursor }: { data: readonly Item[]; nextCursor: string | null }) => ({
  data,
  nextCursor,
})

async function renewed<T>(subjects: readonly string[], work: Promise<T>): Promise<T> {
  const result = await work
  for (const subject of [...subjects, 'audit']) void queryClient.invalidateQueries({ queryKey: [subject] })
  return result
}

export type NewKey = { name?: string; scopes: ApiKeyScope[]; expiresAt?: string }

export const issueKey = (key: NewKey) => renewed(['keys'], causeway.apiKeys.issue(key))

export const rollKey = (id: string, expiresInHours: number) =>
  renewed(['keys'], causeway.apiKeys.roll(id, { expiresInHours }))

/** The links that the key made end with it. */
export const endKey = (id: string, withCreated: boolean) =>
  renewed(['keys', 'links'], causeway.apiKeys.revoke(id, { withCreated }))

export const makeLink = (scopes: ApiKeyScope[], expiresInMinutes: number) =>
  renewed(['links'], causeway.consoleLinks.create({ scopes, expiresInMinutes }))

export const revokeLink = (id: string, withCreated: boolean) =>
  renewed(['keys', 'links'], causeway.consoleLinks.revoke(id, { withCreated }))
