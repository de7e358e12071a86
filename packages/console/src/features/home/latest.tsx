// The latest deposits and events, below the charts.

import type { Deposit, Event } from '@causeway/sdk'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Failure } from '../../components/states.tsx'
import { Clipped } from '../../components/texts/clipped.tsx'
import { TimeAgo } from '../../components/time.tsx'
import { Card } from '../../components/ui/card.tsx'
import { PlaceLink } from '../../components/ui/place-link.tsx'
import { latestDepositColumns } from '../../subjects/deposit.tsx'
import { latestDepositsQuery, latestEventsQuery } from './queries.ts'

const eventColumns: readonly Column<Event>[] = [
  {
    id: 'type',
    header: 'Event',
    cell: ({ eventType }) => <Clipped className="font-mono text-xs rows:max-w-60" text={eventType} />,
  },
  {
    id: 'end-user',
    header: 'End-user',
    cell: ({ externalUserId }) => externalUserId && <Clipped className="rows:max-w-28" text={externalUserId} />,
  },
  { id: 'received', header: 'Received', align: 'right', cell: ({ createdAt }) => <TimeAgo at={createdAt} /> },
]

export function LatestDeposits() {
  const { data, error, refetch } = useQuery(latestDepositsQuery)
  return (
    <Card title="Latest deposits" actions={<PlaceLink to="/deposits">View all</PlaceLink>} flush>
      {error !== null && data === undefined ? (
        <Failure error={error} onRetry={() => void refetch()} className="m-4" />
      ) : (
        <DataTable<Deposit>
          caption="Latest deposits"
          isCompact
          columns={latestDepositColumns}
          rows={data}
          idOf={({ id }) => id}
          linkOf={({ id }) => ({ to: '/deposits/$depositId', params: { depositId: id } })}
          empty={<Nothing>No deposits yet.</Nothing>}
        />
      )}
    </Card>
  )
}

export function LatestEvents() {
  const { data, error, refetch } = useQuery(latestEventsQuery)
  return (
    <Card title="Latest events" actions={<PlaceLink to="/events">View all</PlaceLink>} flush>
      {error !== null && data === undefined ? (
        <Failure error={error} onRetry={() => void refetch()} className="m-4" />
      ) : (
        <DataTable<Event>
          caption="Latest events"
          isCompact
          columns={eventColumns}
          rows={data}
          idOf={({ id }) => id}
          linkOf={({ id }) => ({ to: '/events/$id', params: { id } })}
          empty={<Nothing>No events yet.</Nothing>}
        />
      )}
    </Card>
  )
}

const Nothing = ({ children }: { children: ReactNode }) => <p className="px-4 py-5 text-soft">{children}</p>
