// The columns of lanes and of replicas.

import type { LaneStatus, Replica } from '@causeway/sdk'
import { Link } from '@tanstack/react-router'
import type { Column } from '../../../components/data-table.tsx'
import { TimeAgo } from '../../../components/time.tsx'
import { Badge, type Tone } from '../../../components/ui/badge.tsx'
import { endpointState } from '../../../subjects/endpoint.ts'
import { countWords } from '../words.tsx'

function stateOf(lane: LaneStatus): readonly [Tone, string] {
  const [tone, words] = endpointState(lane)
  if (lane.status !== 'enabled') return [tone, words]
  return lane.failingSince === null ? ['busy', 'Sending'] : [tone, `${words}, ${lane.failures} in a row`]
}

export const laneColumns: readonly Column<LaneStatus>[] = [
  {
    id: 'endpoint',
    header: 'Endpoint',
    cell: ({ host, webhookEndpointId }) => <span title={webhookEndpointId}>{host}</span>,
  },
  {
    id: 'business',
    header: 'Business',
    cell: ({ customerId, customerName }) => (
      <Link to="/operator/businesses/$customerId" params={{ customerId }} className="text-accent underline">
        {customerName}
      </Link>
    ),
  },
  {
    id: 'state',
    header: 'Status',
    cell: (lane) => {
      const [tone, words] = stateOf(lane)
      return <Badge tone={tone}>{words}</Badge>
    },
  },
  {
    id: 'replica',
    header: 'Replica',
    wideOnly: true,
    cell: ({ replica }) =>
      replica === null ? <span className="text-soft">none</span> : <code className="font-mono text-xs">{replica}</code>,
  },
  { id: 'waiting', header: 'Backlog', align: 'right', cell: ({ waiting }) => countWords(waiting) },
  { id: 'oldest', header: 'Oldest', align: 'right', cell: ({ oldestAt }) => <TimeAgo at={oldestAt} /> },
]

const roles: Readonly<Record<string, string>> = { all: 'All', api: 'Requests', relay: 'Background' }

export const replicaColumns: readonly Column<Replica>[] = [
  {
    id: 'id',
    header: 'Replica',
    cell: ({ id, isSelf }) => (
      <span className="flex flex-wrap items-center gap-2">
        <code className="font-mono text-xs">{id}</code>
        {isSelf && <Badge tone="good">Serves this page</Badge>}
      </span>
    ),
  },
  { id: 'role', header: 'Role', cell: ({ role }) => roles[role] ?? role },
  { id: 'version', header: 'Version', cell: ({ version }) => version },
  { id: 'lanes', header: 'Lanes', align: 'right', wideOnly: true, cell: ({ lanes }) => countWords(lanes) },
  { id: 'started', header: 'Started', align: 'right', cell: ({ startedAt }) => <TimeAgo at={startedAt} /> },
]
