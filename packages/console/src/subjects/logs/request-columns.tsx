// The columns of the log of requests.

import type { ApiRequest } from '@causeway/sdk'
import type { Column } from '../../components/data-table.tsx'
import { TimeAgo } from '../../components/time.tsx'
import { duration, Path, pathOf, StatusBadge } from './request-words.tsx'

/** Left out of a compact card. */
const none = (
  <span data-none="" className="text-soft">
    –
  </span>
)

export const requestColumns = (nameOf: (id: string) => string): readonly Column<ApiRequest>[] => [
  {
    id: 'request',
    header: 'Request',
    cell: (request) => (
      <span className="flex items-baseline gap-2">
        <span className="w-12 shrink-0 font-mono text-soft text-xs">{request.method}</span>
        <Path path={pathOf(request)} />
      </span>
    ),
  },
  { id: 'status', header: 'Status', cell: ({ status }) => <StatusBadge status={status} /> },
  {
    id: 'error',
    header: 'Error',
    cell: ({ error, idempotentReplay }) => {
      if (error !== null) return <code className="break-all font-mono text-xs">{error}</code>
      return idempotentReplay ? <span className="text-soft">replayed</span> : none
    },
  },
  {
    id: 'by',
    header: 'By',
    cell: ({ credentialId, sessionId }) => (
      <span className="grid">
        <span className="max-w-44 truncate" title={credentialId}>
          {nameOf(credentialId)}
        </span>
        {sessionId !== null && (
          <span className="text-soft text-xs" title={sessionId}>
            in the console
          </span>
        )}
      </span>
    ),
  },
  {
    id: 'duration',
    header: 'Duration',
    cell: ({ durationMs }) => <span className="tabular-nums">{duration(durationMs)}</span>,
    align: 'right',
    wideOnly: true,
  },
  { id: 'at', header: 'Time', cell: ({ createdAt }) => <TimeAgo at={createdAt} />, align: 'right' },
]
