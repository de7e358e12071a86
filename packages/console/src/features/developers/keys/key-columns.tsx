// The columns of the list of keys.

import type { ApiKey } from '@causeway/sdk'
import type { Column } from '../../../components/data-table.tsx'
import { TimeAgo } from '../../../components/time.tsx'
import { Badge } from '../../../components/ui/badge.tsx'
import type { Session } from '../../../session/session.ts'
import { scopesColumn } from '../../../subjects/scopes.tsx'
import { KeyBadge } from '../key-words.tsx'
import { KeyActions } from './key-actions.tsx'

export const keyColumns = (
  session: Session,
  nameOf: (id: string) => string,
  onRoll: (apiKey: ApiKey) => void,
): readonly Column<ApiKey>[] => [
  {
    id: 'name',
    header: 'Name',
    cell: (key) => (
      <span className="grid gap-0.5">
        <span className="flex flex-wrap items-center gap-1.5">
          <span className="wrap-anywhere font-medium">{key.name}</span>
          {key.id === session.apiKeyId && <Badge tone="busy">This session</Badge>}
        </span>
        <code className="font-mono text-soft text-xs">…{key.lastFour}</code>
      </span>
    ),
  },
  { id: 'state', header: 'Status', cell: (key) => <KeyBadge apiKey={key} /> },
  scopesColumn,
  { id: 'used', header: 'Last used', cell: ({ lastUsedAt }) => <TimeAgo at={lastUsedAt} /> },
  {
    id: 'created',
    header: 'Created',
    cell: ({ createdAt, createdBy }) => (
      <span className="grid">
        <TimeAgo at={createdAt} />
        <span className="max-w-40 truncate text-soft text-xs" title={createdBy}>
          by {createdBy === 'operator' ? 'the operator' : nameOf(createdBy)}
        </span>
      </span>
    ),
    wideOnly: true,
  },
  { id: 'ends', header: 'Expires', cell: (key) => <End apiKey={key} /> },
  {
    id: 'actions',
    header: 'Actions',
    cell: (key) => <KeyActions apiKey={key} session={session} onRoll={onRoll} />,
    align: 'right',
    className: 'rows:w-px rows:whitespace-nowrap',
  },
]

function End({ apiKey: { expiresAt, revokedAt } }: { apiKey: ApiKey }) {
  if (revokedAt !== null) return <span className="text-soft">–</span>
  return expiresAt === null ? <span className="text-soft">never</span> : <TimeAgo at={expiresAt} />
}
