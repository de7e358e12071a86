// The columns of the list of businesses, and of the keys of one.

import type { ApiKey, Customer } from '@causeway/sdk'
import { Copyable } from '../../../components/copy-button.tsx'
import type { Column } from '../../../components/data-table.tsx'
import { TimeAgo } from '../../../components/time.tsx'
import { Badge, type Tone } from '../../../components/ui/badge.tsx'
import { BusinessBadge } from '../words.tsx'
import { EndKey } from './end-key.tsx'

export const businessColumns: readonly Column<Customer>[] = [
  { id: 'name', header: 'Name', cell: ({ name }) => name },
  { id: 'status', header: 'Status', cell: ({ status }) => <BusinessBadge status={status} /> },
  {
    id: 'id',
    header: 'ID',
    wideOnly: true,
    cell: ({ id }) => (
      <span className="relative z-10">
        <Copyable text={id} name="the ID" />
      </span>
    ),
  },
  { id: 'changed', header: 'Updated', wideOnly: true, cell: ({ updatedAt }) => <TimeAgo at={updatedAt} /> },
  { id: 'created', header: 'Created', align: 'right', cell: ({ createdAt }) => <TimeAgo at={createdAt} /> },
]

export function isLive({ revokedAt, expiresAt }: ApiKey): boolean {
  return revokedAt === null && (expiresAt === null || Date.parse(expiresAt) > Date.now())
}

function stateOf(key: ApiKey): readonly [Tone, string] {
  if (!isLive(key)) return ['off', key.revokedAt === null ? 'Expired' : 'Revoked']
  return ['good', 'Active']
}

export const keyColumns = (mayWrite: boolean): readonly Column<ApiKey>[] => [
  {
    id: 'name',
    header: 'Name',
    cell: ({ name, lastFour }) => (
      <span className="grid">
        <span className="break-words font-medium">{name}</span>
        <code className="font-mono text-soft text-xs">…{lastFour}</code>
      </span>
    ),
  },
  {
    id: 'state',
    header: 'Status',
    cell: (key) => {
      const [tone, words] = stateOf(key)
      return <Badge tone={tone}>{words}</Badge>
    },
  },
  {
    id: 'scopes',
    header: 'Scopes',
    cell: ({ scopes }) => <span title={scopes.join(', ')}>{scopes.length}</span>,
    wideOnly: true,
  },
  { id: 'used', header: 'Last used', cell: ({ lastUsedAt }) => <TimeAgo at={lastUsedAt} /> },
  { id: 'created', header: 'Created', wideOnly: true, cell: ({ createdAt }) => <TimeAgo at={createdAt} /> },
  {
    id: 'actions',
    header: 'Actions',
    align: 'right',
    cell: (key) => (mayWrite && isLive(key) ? <EndKey apiKey={key} /> : <span className="text-soft">–</span>),
  },
]
