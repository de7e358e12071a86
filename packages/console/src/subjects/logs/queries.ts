// Queries of the logs: a business reads its own, the operator those of any business.

import type { Query } from '@causeway/sdk'
import { queryOptions } from '@tanstack/react-query'
import { causeway } from '../../session/client.ts'
import type { Owner } from './owner.ts'
import type { AuditSearch, RequestSearch } from './search.ts'

const rowsOfPage = 50

/** The newest keys, to show their names next to IDs. */
export const keyNamesQuery = (owner: Owner) =>
  queryOptions({
    queryKey: ['keys', 'names', owner],
    queryFn: async ({ signal }) => {
      const query = { limit: 100 }
      const page =
        owner === null
          ? causeway.apiKeys.list(query, { signal })
          : causeway.list('listCustomerApiKeys', { path: { customerId: owner }, query }, { signal })
      return (await page).data
    },
    staleTime: 60_000,
  })

/** The newest staff of the business. The operator reads no staff of a business. */
export const staffNamesQuery = (owner: Owner) =>
  queryOptions({
    queryKey: ['staff', 'names'],
    queryFn: async ({ signal }) => (await causeway.staff.list({ limit: 100 }, { signal })).data,
    staleTime: 60_000,
    enabled: owner === null,
  })

/** Requests of the console are left out, except where they or one of its sessions are asked for. */
const clientOf = ({ console, id, by }: RequestSearch) =>
  console === 'shown' || id !== undefined || by?.startsWith('console_session_') ? {} : ({ client: 'api' } as const)

const timesOf = ({ from, to }: RequestSearch) => ({
  ...(from !== undefined && { createdAfter: from }),
  ...(to !== undefined && { createdBefore: to }),
})

export const requestErrorsQuery = (owner: Owner, search: RequestSearch) => {
  const params: Query<'listRequestErrors'> = { ...clientOf(search), ...timesOf(search) }
  return queryOptions({
    queryKey: ['requests', 'errors', owner, params],
    queryFn: ({ signal }) =>
      owner === null
        ? causeway.requests.errors(params, { signal })
        : causeway.call('listCustomerRequestErrors', { path: { customerId: owner }, query: params }, { signal }),
  })
}

const listRequests = (owner: Owner, query: Query<'listRequests'>, signal: AbortSignal) =>
  owner === null
    ? causeway.requests.list(query, { signal })
    : causeway.list('listCustomerRequests', { path: { customerId: owner }, query }, { signal })

export const requestsQuery = (owner: Owner, search: RequestSearch) => {
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
    queryKey: ['requests', 'list', owner, params],
    queryFn: ({ signal }) => listRequests(owner, params, signal).then(plain),
    placeholderData: (before, query) => (isOf(owner, query) ? before : undefined),
  })
}

/** Null where the log does not hold it. */
export const requestQuery = (owner: Owner, requestId: string) =>
  queryOptions({
    queryKey: ['requests', 'one', owner, requestId],
    queryFn: async ({ signal }) => (await listRequests(owner, { requestId, limit: 1 }, signal)).data[0] ?? null,
  })

export const auditQuery = (owner: Owner, { from, to, ...rest }: AuditSearch) => {
  const params: Query<'listAuditLog'> = {
    ...(rest as Pick<Query<'listAuditLog'>, 'action'>),
    ...(from !== undefined && { createdAfter: from }),
    ...(to !== undefined && { createdBefore: to }),
    limit: rowsOfPage,
  }
  return queryOptions({
    queryKey: ['audit', 'list', owner, params],
    queryFn: ({ signal }) => {
      const page =
        owner === null
          ? causeway.auditLog.list(params, { signal })
          : causeway.list('listCustomerAuditLog', { path: { customerId: owner }, query: params }, { signal })
      return page.then(plain)
    },
    placeholderData: (before, query) => (isOf(owner, query) ? before : undefined),
  })
}

/** The page before keeps its place while the next one is read; the page of another business does not. */
const isOf = (owner: Owner, query: { queryKey: readonly unknown[] } | undefined): boolean =>
  query?.queryKey[2] === owner

/** A page without its methods: what a cache keeps is data. */
const plain = <Item>({ data, nextCursor }: { data: readonly Item[]; nextCursor: string | null }) => ({
  data,
  nextCursor,
})
