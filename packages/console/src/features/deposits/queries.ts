// What the pages of deposits read.

import type { Query } from '@causeway/sdk'
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
