// Queries of the home page.

import type { KycStatus } from '@causeway/sdk'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { causeway } from '../../session/client.ts'
import { beginningOf, type Range, ranges } from './range.ts'

const subject = 'home'

export const statsQuery = (range: Range) =>
  queryOptions({
    queryKey: [subject, 'stats', range],
    queryFn: ({ signal }) =>
      causeway.stats({ from: beginningOf(range, Date.now()), interval: ranges[range].interval }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: 60_000,
  })

/** How many of each kind the first page names; the list has the others. */
export const shownMax = 5

/** End-users in a state that needs an action. */
export const stuckQuery = (kycStatus: KycStatus) =>
  queryOptions({
    queryKey: [subject, 'stuck', kycStatus],
    queryFn: async ({ signal }) => {
      const { data, nextCursor } = await causeway.endUsers.list({ kycStatus, limit: shownMax }, { signal })
      return { rows: data, hasMore: nextCursor !== null }
    },
  })

/** Two days: a verdict usually takes one business day. */
const slowMs = 2 * 86_400_000

/** Who has waited long for a verdict. */
export const slowQuery = queryOptions({
  queryKey: [subject, 'slow'],
  queryFn: async ({ signal }) => {
    const before = new Date(Date.now() - slowMs).toISOString()
    const query = { kycStatus: 'under_review', createdBefore: before, limit: 25 } as const
    const { data } = await causeway.endUsers.list(query, { signal })
    return data.filter(({ updatedAt }) => updatedAt < before).slice(0, shownMax)
  },
})

export const reviewedDepositsQuery = queryOptions({
  queryKey: [subject, 'in-review'],
  queryFn: async ({ signal }) => {
    const { data, nextCursor } = await causeway.deposits.list({ status: 'in_review', limit: shownMax }, { signal })
    return { rows: data, hasMore: nextCursor !== null }
  },
})

export const waitingChangesQuery = queryOptions({
  queryKey: [subject, 'waiting-changes'],
  queryFn: async ({ signal }) => {
    const query = { destinationChange: 'waiting', limit: shownMax } as const
    const { data, nextCursor } = await causeway.virtualAccounts.list(query, { signal })
    return { rows: data, hasMore: nextCursor !== null }
  },
})

/** The newest of all, whatever the range of the charts. */
export const latestDepositsQuery = queryOptions({
  queryKey: [subject, 'latest-deposits'],
  queryFn: async ({ signal }) => (await causeway.deposits.list({ limit: shownMax }, { signal })).data,
})

export const latestEventsQuery = queryOptions({
  queryKey: ['latest-events'],
  queryFn: async ({ signal }) => (await causeway.events.list({ limit: shownMax }, { signal })).data,
})

/** Whether a key can be used now. */
export const hasKeyQuery = queryOptions({
  queryKey: ['keys', 'any'],
  queryFn: async ({ signal }) => {
    const { data } = await causeway.apiKeys.list({ limit: 100 }, { signal })
    const now = Date.now()
    return data.some(
      ({ revokedAt, expiresAt }) => revokedAt === null && (expiresAt === null || Date.parse(expiresAt) > now),
    )
  },
})
