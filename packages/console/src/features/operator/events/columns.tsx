// The columns of held events.

import type { HeldEvent } from '@causeway/sdk'
import { Link } from '@tanstack/react-router'
import type { Column } from '../../../components/data-table.tsx'
import { TimeAgo } from '../../../components/time.tsx'
import { HeldBadge } from '../words.tsx'

export const heldColumns: readonly Column<HeldEvent>[] = [
  { id: 'type', header: 'Event', cell: ({ type }) => type },
  { id: 'state', header: 'Status', cell: ({ state }) => <HeldBadge state={state} /> },
  { id: 'reason', header: 'Reason', cell: ({ reason }) => <span className="line-clamp-2">{reason}</span> },
  {
    id: 'business',
    header: 'Business',
    wideOnly: true,
    cell: ({ customerId }) =>
      customerId === null ? (
        <span className="text-soft">unknown</span>
      ) : (
        <Link
          to="/operator/businesses/$customerId"
          params={{ customerId }}
          className="relative z-10 text-accent underline"
        >
          …{customerId.slice(-6)}
        </Link>
      ),
  },
  {
    id: 'next',
    header: 'Next retry',
    align: 'right',
    wideOnly: true,
    cell: ({ nextTryAt }) =>
      nextTryAt === null ? <span className="text-soft">none</span> : <TimeAgo at={nextTryAt} />,
  },
  { id: 'created', header: 'Received', align: 'right', cell: ({ createdAt }) => <TimeAgo at={createdAt} /> },
]
