// The last replays of an endpoint.

import type { Replay } from '@causeway/sdk'
import { useQuery } from '@tanstack/react-query'
import type { Column } from '../../../components/data-table.tsx'
import { DataTable } from '../../../components/data-table.tsx'
import { Failure } from '../../../components/states.tsx'
import { Time, TimeAgo } from '../../../components/time.tsx'
import { Badge } from '../../../components/ui/badge.tsx'
import { Card } from '../../../components/ui/card.tsx'
import { replaysQuery } from '../queries.ts'
import { replayStates, selectionWords } from '../words.ts'

const columns: readonly Column<Replay>[] = [
  {
    id: 'range',
    header: 'Range',
    cell: ({ from, to }) => (
      <>
        <Time at={from} /> – <Time at={to} />
      </>
    ),
  },
  {
    id: 'state',
    header: 'Status',
    cell: ({ state }) => {
      const [tone, words] = replayStates[state]
      return <Badge tone={tone}>{words}</Badge>
    },
  },
  { id: 'what', header: 'Events to replay', wideOnly: true, cell: ({ status }) => selectionWords[status] },
  {
    id: 'sent',
    header: 'Resent',
    align: 'right',
    cell: ({ queuedCount }) => <span className="tabular-nums">{queuedCount.toLocaleString('en')}</span>,
  },
  { id: 'began', header: 'Started', align: 'right', cell: ({ createdAt }) => <TimeAgo at={createdAt} /> },
]

export function ReplaysCard({ endpointId }: { endpointId: string }) {
  const { data: replays, error, refetch } = useQuery(replaysQuery(endpointId))
  if (replays?.length === 0) return null
  return (
    <Card title="Replays" flush>
      {error ? (
        <Failure className="m-4" error={error} onRetry={() => void refetch()} />
      ) : (
        <DataTable
          caption="Replays"
          columns={columns}
          rows={replays}
          idOf={({ id }) => id}
          linkOf={({ id }) => ({ to: '/webhooks/replays/$id', params: { id } })}
          empty={null}
        />
      )}
    </Card>
  )
}
