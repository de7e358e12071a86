// Queries of events, and resending one.

import type { EventExplanation, EventSource } from '@causeway/sdk'
import { queryOptions } from '@tanstack/react-query'
import { causeway, queryClient } from '../../session/client.ts'

export type EventSearch = {
  eventType?: string
  externalUserId?: string
  virtualAccountId?: string
  source?: EventSource
  from?: string
  to?: string
  cursor?: string
}

export const pageSize = 25

const queryOf = ({ source, from, to, ...search }: EventSearch) => ({
  ...search,
  limit: pageSize,
  ...(source && { sources: [source] }),
  ...(from && { createdAfter: from }),
  ...(to && { createdBefore: to }),
})

/** A page stays as it was read until its reader asks for what is new: no event makes it move. */
export const eventsQuery = (search: EventSearch) =>
  queryOptions({
    queryKey: ['events', 'list', search],
    queryFn: async ({ signal }) => {
      const { data, nextCursor } = await causeway.events.list(queryOf(search), { signal })
      return { data, nextCursor }
    },
    refetchOnWindowFocus: false,
  })

/** The newest accounts, each with whose it is. */
export const accountNamesQuery = queryOptions({
  queryKey: ['accounts', 'names'],
  queryFn: async ({ signal }) =>
    (await causeway.virtualAccounts.list({ limit: 100 }, { signal })).data.map(
      ({ id, sourceCurrency, externalUserId }) =>
        [id, `${sourceCurrency.toUpperCase()} account of ${externalUserId}`] as const,
    ),
  staleTime: 60_000,
})

export const eventQuery = (id: string) =>
  queryOptions({
    queryKey: ['events', 'one', id],
    queryFn: ({ signal }) => causeway.events.get(id, { signal }),
    staleTime: 60_000,
  })

const underWayMs = 2_000
const settledMs = 15_000

/** No event reports an attempt: while an attempt is due, the page polls. */
const pauseOf = (explanation: EventExplanation | undefined) =>
  explanation?.verdict === 'under_way' ? underWayMs : settledMs

export const explanationQuery = (id: string) =>
  queryOptions({
    queryKey: ['deliveries', 'explanation', id],
    queryFn: ({ signal }) => causeway.events.explain(id, { signal }),
    refetchInterval: ({ state }) => pauseOf(state.data),
  })

/** Sends an event again to one endpoint. @returns the delivery */
export async function sendAgain(id: string, webhookEndpointId: string) {
  const [delivery] = await causeway.events.replay(id, { webhookEndpointId })
  await queryClient.invalidateQueries({ queryKey: ['deliveries'] })
  return delivery
}
