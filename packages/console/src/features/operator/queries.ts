// Queries and writes of the operator pages. A new key goes to the dialog that shows it, and is not cached.

import { ApiError, type Body, type Customer, type CustomerStatus, type HeldEvent, type Query } from '@causeway/sdk'
import { queryOptions } from '@tanstack/react-query'
import { causeway, queryClient } from '../../session/client.ts'

const rowsOfPage = 50
const pageMax = 100
/** Nothing tells the operator's pages of what happens. */
const lookMs = 10_000

/** A page without its functions, which no cache can compare. */
const plain = <Item>({ data, nextCursor }: { data: readonly Item[]; nextCursor: string | null }) => ({
  data,
  nextCursor,
})

export const businessesQuery = (search: Pick<Query<'listCustomers'>, 'q' | 'status' | 'cursor'>) => {
  const params = { ...search, limit: rowsOfPage }
  return queryOptions({
    queryKey: ['businesses', 'list', params],
    queryFn: ({ signal }) => causeway.list('listCustomers', { query: params }, { signal }).then(plain),
    placeholderData: (before) => before,
  })
}

/** How many businesses have the status, counted up to the longest page. */
export const businessCountQuery = (status: CustomerStatus) =>
  queryOptions({
    queryKey: ['businesses', 'list', { count: status }],
    queryFn: async ({ signal }) => {
      const query = { status, limit: pageMax }
      const { data, nextCursor } = await causeway.list('listCustomers', { query }, { signal })
      return { count: data.length, hasMore: nextCursor !== null }
    },
  })

export const businessQuery = (customerId: string) =>
  queryOptions({
    queryKey: ['businesses', 'one', customerId],
    queryFn: ({ signal }) => causeway.call('getCustomer', { path: { customerId } }, { signal }),
  })

function keep(business: Customer): Customer {
  queryClient.setQueryData(businessQuery(business.id).queryKey, business)
  void queryClient.invalidateQueries({ queryKey: ['businesses', 'list'] })
  return business
}

export const createBusiness = async (name: string): Promise<Customer> =>
  keep(await causeway.call('createCustomer', { body: { name } }))

export const changeBusiness = async (customerId: string, body: Body<'updateCustomer'>): Promise<Customer> =>
  keep(await causeway.call('updateCustomer', { path: { customerId }, body }))

export const figuresQuery = (customerId: string) =>
  queryOptions({
    queryKey: ['businesses', 'figures', customerId],
    queryFn: ({ signal }) => causeway.call('getCustomerStats', { path: { customerId } }, { signal }),
    refetchInterval: lookMs,
  })

export const keysQuery = (customerId: string, cursor: string | undefined) => {
  const query = { limit: rowsOfPage, ...(cursor !== undefined && { cursor }) }
  return queryOptions({
    queryKey: ['keys', 'list', { customerId, ...query }],
    queryFn: ({ signal }) =>
      causeway.list('listCustomerApiKeys', { path: { customerId }, query }, { signal }).then(plain),
    placeholderData: (before) => before,
  })
}

/** @returns the key itself */
export async function issueKey(customerId: string, name: string): Promise<string> {
  const { key } = await causeway.call('issueCustomerApiKey', { path: { customerId }, body: { name } })
  await queryClient.invalidateQueries({ queryKey: ['keys'] })
  return key
}

export async function endKey(customerId: string, id: string, withCreated: boolean): Promise<void> {
  await causeway.call('revokeCustomerApiKey', { path: { customerId, id }, query: { withCreated } })
  await queryClient.invalidateQueries({ queryKey: ['keys'] })
}

export const providerQuery = queryOptions({
  queryKey: ['service', 'provider'],
  queryFn: ({ signal }) => causeway.call('getProviderStatus', {}, { signal }),
  refetchInterval: lookMs,
})

export const relayQuery = queryOptions({
  queryKey: ['service', 'relay'],
  queryFn: ({ signal }) => causeway.call('getRelayStatus', {}, { signal }),
  refetchInterval: lookMs,
})

export const storageQuery = queryOptions({
  queryKey: ['service', 'storage'],
  queryFn: ({ signal }) => causeway.call('getStorageStatus', {}, { signal }),
})

export const heldEventsQuery = (search: Pick<Query<'listHeldEvents'>, 'state' | 'cursor'>) => {
  const params = { ...search, limit: rowsOfPage }
  return queryOptions({
    queryKey: ['held-events', 'list', params],
    queryFn: ({ signal }) => causeway.list('listHeldEvents', { query: params }, { signal }).then(plain),
    placeholderData: (before) => before,
    refetchInterval: lookMs,
  })
}

/** Null once the event is held no more. */
export const heldEventQuery = (id: string) =>
  queryOptions({
    queryKey: ['held-events', 'one', id],
    queryFn: async ({ signal }): Promise<HeldEvent | null> => {
      try {
        return await causeway.call('getHeldEvent', { path: { id } }, { signal })
      } catch (failure) {
        if (failure instanceof ApiError && failure.code === 'event_not_found') return null
        throw failure
      }
    },
    refetchInterval: lookMs,
  })

export async function retryHeldEvent(id: string): Promise<void> {
  const event = await causeway.call('retryHeldEvent', { path: { id } })
  queryClient.setQueryData(heldEventQuery(id).queryKey, event)
  await queryClient.invalidateQueries({ queryKey: ['held-events', 'list'] })
}
