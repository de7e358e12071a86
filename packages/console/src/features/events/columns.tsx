// The columns of the list of events.

import type { Event } from '@causeway/sdk'
import type { Column } from '../../components/data-table.tsx'
import { Clipped } from '../../components/texts/clipped.tsx'
import { TimeAgo } from '../../components/time.tsx'
import { Badge } from '../../components/ui/badge.tsx'
import { sourceWords } from '../../session/event-types.ts'

export const eventColumns: readonly Column<Event>[] = [
  {
    id: 'type',
    header: 'Event',
    cell: ({ eventType }) => <Clipped className="font-mono text-xs rows:max-w-80" text={eventType} />,
  },
  {
    id: 'marks',
    header: 'Source',
    cell: (event) => <Marks event={event} />,
  },
  {
    id: 'end-user',
    header: 'End-user',
    cell: ({ externalUserId }) =>
      externalUserId === null ? (
        <span className="text-soft">–</span>
      ) : (
        <Clipped className="rows:max-w-48" text={externalUserId} />
      ),
  },
  {
    id: 'position',
    header: 'Position',
    align: 'right',
    wideOnly: true,
    cell: ({ position }) => <span className="text-soft tabular-nums">{position.toLocaleString('en')}</span>,
  },
  { id: 'received', header: 'Received', align: 'right', cell: ({ createdAt }) => <TimeAgo at={createdAt} /> },
]

/** Who wrote it, and what a reader must know before believing it. */
export function Marks({ event: { source, test, verified } }: { event: Event }) {
  return (
    <span className="inline-flex flex-wrap items-center gap-1.5">
      <span className="text-soft">{sourceWords[source]}</span>
      {test && <Badge tone="idle">Test</Badge>}
      {!verified && <Badge tone="warn">Unverified</Badge>}
    </span>
  )
}
