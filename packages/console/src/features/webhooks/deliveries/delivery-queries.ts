// Queries of deliveries, and resending them.

import type { DeliveryStatus, DeliveryWithAttempts, EndpointExplanationCode } from '@causeway/sdk'
import { queryOptions } from '@tanstack/react-query'
import { causeway, queryClient } from '../../../session/client.ts'

export type DeliverySearch = {
  status?: DeliveryStatus
  webhookEndpointId?: string
  eventType?: string
  externalUserId?: string
  from?: string
  to?: string
  cursor?: string
}

export const pageSize = 25

const queryOf = ({ from, to, ...search }: DeliverySearch) => ({
  ...search,
  ...(from && { createdAfter: from }),
  ...(to && { createdBefore: to }),
})

/** A page stays as it was read until its reader asks for what is new. */
export const deliveriesQuery = (search: DeliverySearch) =>
  queryOptions({
    queryKey: ['delivery-list', search],
    queryFn: async ({ signal }) => {
      const { data, nextCursor } = await causeway.deliveries.list({ ...queryOf(search), limit: pageSize }, { signal })
      return { data, nextCursor }
    },
    refetchOnWindowFocus: false,
  })

const stateMs = 4_000

/** Polls the same page for the states of the visible rows: new rows do not move them. */
export const statesQuery = (search: DeliverySearch, isWanted: boolean) =>
  queryOptions({
    ...deliveriesQuery(search),
    queryKey: ['delivery-list', search, 'states'],
    enabled: isWanted,
    refetchInterval: stateMs,
  })

const underWayMs = 1_500

export const isWaiting = ({ status }: Pick<DeliveryWithAttempts, 'status'>) =>
  status === 'pending' || status === 'retrying'

/** No event reports an attempt: while an attempt is due, the page polls. */
export const deliveryQuery = (id: string) =>
  queryOptions({
    queryKey: ['deliveries', 'one', id],
    queryFn: ({ signal }) => causeway.deliveries.get(id, { signal }),
    refetchInterval: ({ state }) => (state.data && isWaiting(state.data) ? underWayMs : false),
  })

const overCodes: ReadonlySet<EndpointExplanationCode> = new Set([
  'delivered',
  'exhausted',
  'cancelled',
  'endpoint_deleted',
])

/** The reason for the state of a delivery; null if the server explains nothing about its endpoint. */
export const reasonQuery = (eventId: string, deliveryId: string) =>
  queryOptions({
    queryKey: ['deliveries', 'reason', deliveryId],
    queryFn: async ({ signal }) => {
      const { endpoints } = await causeway.events.explain(eventId, { signal })
      return endpoints.find((endpoint) => endpoint.deliveryId === deliveryId) ?? null
    },
    refetchInterval: ({ state }) => (state.data && overCodes.has(state.data.code) ? false : 5_000),
  })

export const eventOfQuery = (eventId: string | undefined) =>
  queryOptions({
    queryKey: ['events', 'one', eventId],
    queryFn: ({ signal }) => causeway.events.get(eventId ?? '', { signal }),
    enabled: eventId !== undefined,
    staleTime: 60_000,
  })

const readAgain = () =>
  Promise.all([
    queryClient.invalidateQueries({ queryKey: ['deliveries'] }),
    queryClient.invalidateQueries({ queryKey: ['delivery-list'] }),
  ])

export async function retryDelivery(id: string): Promise<void> {
  await causeway.deliveries.retry(id)
  await readAgain()
}

const atOnce = 4

/**
 * Sends deliveries again, a few at a time.
 * @param onProgress called with how many are done
 * @returns the first refusal, or null; those behind it are sent all the same
 */
export async function retrySelected(ids: readonly string[], onProgress: (done: number) => void): Promise<unknown> {
  const rest = [...ids]
  let done = 0
  let refusal: unknown = null
  const work = async (): Promise<void> => {
    for (let id = rest.shift(); id !== undefined; id = rest.shift()) {
      await causeway.deliveries.retry(id).catch((failure: unknown) => {
        refusal ??= failure
      })
      onProgress(++done)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  await readAgain()
  return refusal
}

/**
 * Resends everything of a search that was attempted and not delivered, whatever state and page the search names.
 * @param options `dryRun` only counts
 */
export async function retryUndelivered(search: DeliverySearch, options: { dryRun?: boolean } = {}) {
  const { status: _status, cursor: _cursor, ...filter } = search
  const found = await causeway.deliveries.retryFailed({ filter, ...options })
  if (!options.dryRun) await readAgain()
  return found
}
