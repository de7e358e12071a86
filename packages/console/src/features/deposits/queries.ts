// Queries of the deposit pages.

import type { Deposit, Query } from '@causeway/sdk'
import { queryOptions } from '@tanstack/react-query'
import { present } from '../../search.ts'
import { causeway } from '../../session/client.ts'

const pageSize = 25
/** The most rows a page of CSV has. */
const csvPageSize = 100

export const depositsQuery = (params: Query<'listDeposits'>) =>
  queryOptions({
    queryKey: ['deposits', 'list', params],
    queryFn: async ({ signal }) => await causeway.deposits.list({ limit: pageSize, ...params }, { signal }),
  })

/** The same deposits as CSV, page after page. */
export const depositsCsv = (params: Query<'listDeposits'>, signal: AbortSignal) =>
  causeway.deposits.csv({ ...params, limit: csvPageSize }, { signal })

export const depositQuery = (id: string) =>
  queryOptions({
    queryKey: ['deposits', 'one', id],
    queryFn: ({ signal }) => causeway.deposits.get(id, { signal }),
  })

/** The account of a deposit, as it is now. */
export const accountOfQuery = ({ virtualAccountId: id }: Deposit) =>
  queryOptions({
    queryKey: ['accounts', 'one', id],
    queryFn: ({ signal }) => causeway.virtualAccounts.get(id, { signal }),
  })

/** The clocks of the provider and of Causeway: an event of the provider comes before the deposit is stored. */
const clocksApartMs = 60_000
const eventsMax = 100

/** The events about the deposit, among those of its account at that time: newest first. */
export const eventsOfDepositQuery = ({ id, providerDepositId, virtualAccountId, createdAt, updatedAt }: Deposit) =>
  queryOptions({
    queryKey: ['deposits', 'events', id, updatedAt],
    queryFn: async ({ signal }) => {
      const createdAfter = new Date(Date.parse(createdAt) - clocksApartMs).toISOString()
      const createdBefore = new Date(Date.parse(updatedAt) + clocksApartMs).toISOString()
      const query = { virtualAccountId, createdAfter, createdBefore, limit: eventsMax }
      const { data } = await causeway.events.list(query, { signal })
      return data.filter(({ payload }) => {
        const { data: own, event_object: object } = payload as Record<'data' | 'event_object', Facts | undefined>
        return own?.id === id || object?.deposit_id === providerDepositId
      })
    },
    placeholderData: (before, query) => (query?.queryKey[2] === id ? before : undefined),
  })

type Facts = { id?: unknown; deposit_id?: unknown }

export const deliveriesOfEventQuery = (eventId: string) =>
  queryOptions({
    queryKey: ['deliveries', 'of-event', eventId],
    queryFn: ({ signal }) => causeway.events.deliveries(eventId, { signal }),
  })

export const completedQuery = (day: string, cursor: string | undefined) =>
  queryOptions({
    queryKey: ['deposits', 'list', { completedOn: day, cursor }],
    queryFn: async ({ signal }) =>
      await causeway.reports.deposits(day, present({ limit: pageSize, cursor }), { signal }),
  })

export const completedCsv = (day: string, signal: AbortSignal) =>
  causeway.reports.depositsCsv(day, { limit: csvPageSize }, { signal })

export const sumsQuery = (day: string) =>
  queryOptions({
    queryKey: ['deposits', 'one', 'sums', day],
    queryFn: ({ signal }) => causeway.reports.depositSums(day, { signal }),
  })
