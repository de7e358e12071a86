// What is kept, for how long, and how much room it takes.

import type { PartitionSize, TableSize } from '@causeway/sdk'
import { useQuery } from '@tanstack/react-query'
import { type Column, DataTable } from '../../../components/data-table.tsx'
import { Page } from '../../../components/page.tsx'
import { Empty, Failure, Skeleton } from '../../../components/states.tsx'
import { Card } from '../../../components/ui/card.tsx'
import { Figure, Figures } from '../figure.tsx'
import { storageQuery } from '../queries.ts'
import { bytesWords, countWords } from '../words.tsx'

const tablesShown = 12

const tableColumns: readonly Column<TableSize>[] = [
  { id: 'name', header: 'Table', cell: ({ name }) => <code className="font-mono text-xs">{name}</code> },
  { id: 'rows', header: 'Rows, about', align: 'right', cell: ({ rows }) => countWords(rows) },
  { id: 'weeks', header: 'Parts', align: 'right', wideOnly: true, cell: ({ partitions }) => partitions || '–' },
  { id: 'bytes', header: 'Size', align: 'right', cell: ({ bytes }) => bytesWords(bytes) },
]

const week = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' })

const partitionColumns: readonly Column<PartitionSize>[] = [
  {
    id: 'week',
    header: 'Week of',
    cell: ({ from }) => (from === null ? 'outside of the weeks' : week.format(new Date(from))),
  },
  { id: 'table', header: 'Table', cell: ({ table }) => <code className="font-mono text-xs">{table}</code> },
  { id: 'rows', header: 'Rows, about', align: 'right', cell: ({ rows }) => countWords(rows) },
  { id: 'bytes', header: 'Size', align: 'right', cell: ({ bytes }) => bytesWords(bytes) },
]

/** By week, the newest first; what belongs to no week last. */
const inOrder = (partitions: readonly PartitionSize[]) =>
  partitions.toSorted((a, b) => (b.from ?? '').localeCompare(a.from ?? '') || a.table.localeCompare(b.table))

export function StoragePage() {
  const { data, error, refetch } = useQuery(storageQuery)
  return (
    <Page title="Storage" intro="History is kept and dropped by the week. Row counts are estimates of PostgreSQL.">
      {error !== null && data === undefined && <Failure error={error} onRetry={() => void refetch()} />}
      <Card>
        {data === undefined ? (
          <Skeleton lines={2} />
        ) : (
          <Figures>
            <Figure name="Database">{bytesWords(data.bytes)}</Figure>
            <Figure name="Events are kept for" note="EVENT_RETENTION_DAYS">
              {data.retention.eventDays} days
            </Figure>
            <Figure name="Requests are kept for">{data.retention.requestLogDays} days</Figure>
            <Figure name="Parts of history" note="one a table and week">
              {countWords(data.partitions.length)}
            </Figure>
          </Figures>
        )}
      </Card>
      <div className="grid items-start gap-5 lg:grid-cols-2">
        <Card flush title="The largest tables">
          <DataTable
            caption="Tables, the largest first"
            columns={tableColumns}
            rows={data?.tables.slice(0, tablesShown)}
            idOf={({ name }) => name}
            empty={<Empty title="No tables">The schema does not exist yet.</Empty>}
          />
        </Card>
        <Card flush title="Weeks of history">
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard */}
          <section tabIndex={0} aria-label="Weeks of history" className="max-h-144 overflow-y-auto">
            <DataTable
              caption="Parts of history by week, the newest first"
              columns={partitionColumns}
              rows={data && inOrder(data.partitions)}
              idOf={({ table, from }) => `${table} ${from}`}
              empty={<Empty title="No weeks yet">The first ones are made when the service starts.</Empty>}
            />
          </section>
        </Card>
      </div>
    </Page>
  )
}
