// Stored data: retention and size.

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
  { id: 'rows', header: 'Rows', align: 'right', cell: ({ rows }) => countWords(rows) },
  { id: 'weeks', header: 'Partitions', align: 'right', wideOnly: true, cell: ({ partitions }) => partitions || '–' },
  { id: 'bytes', header: 'Size', align: 'right', cell: ({ bytes }) => bytesWords(bytes) },
]

const week = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' })

const partitionColumns: readonly Column<PartitionSize>[] = [
  {
    id: 'week',
    header: 'Week of',
    cell: ({ from }) => (from === null ? 'Default partition' : week.format(new Date(from))),
  },
  { id: 'table', header: 'Table', cell: ({ table }) => <code className="font-mono text-xs">{table}</code> },
  { id: 'rows', header: 'Rows', align: 'right', cell: ({ rows }) => countWords(rows) },
  { id: 'bytes', header: 'Size', align: 'right', cell: ({ bytes }) => bytesWords(bytes) },
]

/** The weeks so far: those ahead are made in advance, and hold nothing. */
const pastOf = (partitions: readonly PartitionSize[], nowMs: number) =>
  partitions.filter(({ from }) => from === null || Date.parse(from) <= nowMs)

/** By week, the newest first; what belongs to no week last. */
const inOrder = (partitions: readonly PartitionSize[]) =>
  partitions.toSorted((a, b) => (b.from ?? '').localeCompare(a.from ?? '') || a.table.localeCompare(b.table))

export function StoragePage() {
  const { data, error, refetch } = useQuery(storageQuery)
  const past = data && inOrder(pastOf(data.partitions, Date.now()))
  return (
    <Page title="Storage" intro="History is stored in weekly partitions. Row counts are PostgreSQL estimates.">
      {error !== null && data === undefined && <Failure error={error} onRetry={() => void refetch()} />}
      <Card>
        {data === undefined ? (
          <Skeleton lines={2} />
        ) : (
          <Figures>
            <Figure name="Database">{bytesWords(data.bytes)}</Figure>
            <Figure name="Event retention" note="EVENT_RETENTION_DAYS">
              {data.retention.eventDays} days
            </Figure>
            <Figure name="Request log retention">{data.retention.requestLogDays} days</Figure>
            <Figure name="Partitions" note="one per table and week">
              {countWords(past?.length ?? 0)}
            </Figure>
          </Figures>
        )}
      </Card>
      <div className="grid gap-5">
        <Card flush title="Largest tables">
          <DataTable
            caption="Tables, largest first"
            columns={tableColumns}
            rows={data?.tables.slice(0, tablesShown)}
            idOf={({ name }) => name}
            empty={<Empty title="No tables">The schema does not exist yet.</Empty>}
          />
        </Card>
        <Card flush title="Weekly partitions">
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard */}
          <section tabIndex={0} aria-label="Weekly partitions" className="max-h-144 overflow-y-auto">
            <DataTable
              caption="Weekly partitions, newest first"
              columns={partitionColumns}
              rows={past}
              idOf={({ table, from }) => `${table} ${from}`}
              empty={<Empty title="No partitions yet">The first partitions are created when the service starts.</Empty>}
            />
          </section>
        </Card>
      </div>
    </Page>
  )
}
