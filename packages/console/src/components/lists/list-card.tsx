// One page of a list in a card: the filters, the table or why it could not be read, and the way to the next page.

import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { DataTable, Pager, type PagerProps, type TableProps } from '../data-table.tsx'
import { Failure, Stale } from '../states.tsx'
import { Card } from '../ui/card.tsx'

type Listed<Row> = { data: readonly Row[]; nextCursor: string | null }

type Props<Row> = Omit<TableProps<Row>, 'rows' | 'selection'> &
  Pick<PagerProps, 'cursor' | 'onPage'> & {
    query: Pick<UseQueryResult<Listed<Row>>, 'data' | 'error' | 'refetch' | 'dataUpdatedAt' | 'isPlaceholderData'>
    /** The rows to show, where some of those that were read are held back. */
    rows?: readonly Row[] | undefined
    title?: string
    actions?: ReactNode
    filters?: ReactNode
    /** Above the rows: what has come since. */
    news?: ReactNode
  }

export function ListCard<Row>({ query, title, actions, filters, news, cursor, onPage, ...table }: Props<Row>) {
  const { data, error, dataUpdatedAt, isPlaceholderData } = query
  const retry = () => void query.refetch()
  return (
    <>
      {data !== undefined && <Stale error={error} atMs={dataUpdatedAt} onRetry={retry} />}
      <Card flush title={title} actions={actions}>
        {filters}
        {error !== null && data === undefined ? (
          <Failure error={error} onRetry={retry} className="m-4" />
        ) : (
          <div className={isPlaceholderData ? 'opacity-60' : ''}>
            {news}
            <DataTable {...table} rows={table.rows ?? data?.data} />
          </div>
        )}
        <Pager cursor={cursor} nextCursor={data?.nextCursor} onPage={onPage} />
      </Card>
    </>
  )
}
