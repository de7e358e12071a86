// Queries and writes of the account pages.

import type { Body, Event, Query, VirtualAccount } from '@causeway/sdk'
import { queryOptions } from '@tanstack/react-query'
import { causeway, queryClient } from '../../session/client.ts'

const pageSize = 25
const relatedMax = 10

export const accountsQuery = (params: Query<'listVirtualAccounts'>) =>
  queryOptions({
    queryKey: ['accounts', 'list', params],
    queryFn: async ({ signal }) => await causeway.virtualAccounts.list({ limit: pageSize, ...params }, { signal }),
  })

export const accountQuery = (id: string) =>
  queryOptions({
    queryKey: ['accounts', 'one', id],
    queryFn: ({ signal }) => causeway.virtualAccounts.get(id, { signal }),
  })

export const instructionsQuery = (id: string) =>
  queryOptions({
    queryKey: ['accounts', 'one', id, 'instructions'],
    queryFn: ({ signal }) => causeway.virtualAccounts.depositInstructions(id, { signal }),
  })

/** The newest deposits of an account. */
export const depositsOfAccountQuery = (id: string) =>
  queryOptions({
    queryKey: ['deposits', 'list', { virtualAccountId: id, limit: relatedMax }],
    queryFn: async ({ signal }) => await causeway.virtualAccounts.deposits(id, { limit: relatedMax }, { signal }),
  })

/** The newest events about an account; those of its deposits are among them. */
export const eventsOfAccountQuery = (id: string) =>
  queryOptions({
    queryKey: ['accounts', 'one', id, 'events'],
    queryFn: async ({ signal }): Promise<readonly Event[]> =>
      (await causeway.events.list({ virtualAccountId: id, sources: ['causeway'], limit: 20 }, { signal })).data,
  })

/** End-users whose id or email begins so. */
export const endUsersLikeQuery = (q: string) =>
  queryOptions({
    queryKey: ['end-users', 'list', { q, limit: 8 }],
    queryFn: async ({ signal }) =>
      (await causeway.endUsers.list({ limit: 8, ...(q !== '' && { q }) }, { signal })).data,
    placeholderData: (before) => before,
  })

/** Stores the account from the response to a write, and reloads the lists. */
async function keep(account: VirtualAccount): Promise<VirtualAccount> {
  queryClient.setQueryData(accountQuery(account.id).queryKey, account)
  await queryClient.invalidateQueries({ queryKey: ['accounts'] })
  return account
}

export type NewAccount = Body<'createVirtualAccount'>

export const openAccount = async (body: NewAccount, idempotencyKey: string) =>
  await keep(await causeway.virtualAccounts.create(body, { idempotencyKey }))

export const changeAccount = async (id: string, body: Body<'updateVirtualAccount'>) =>
  await keep(await causeway.virtualAccounts.update(id, body))

export const deactivateAccount = async (id: string) => await keep(await causeway.virtualAccounts.deactivate(id))

export const reactivateAccount = async (id: string) => await keep(await causeway.virtualAccounts.reactivate(id))
