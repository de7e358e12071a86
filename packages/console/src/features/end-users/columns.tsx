// The columns of the list of end-users.

import type { EndUser } from '@causeway/sdk'
import type { Column } from '../../components/data-table.tsx'
import { TimeAgo } from '../../components/time.tsx'
import { endUserTypeWords, KycBadge } from '../../subjects/end-user.tsx'
import { nextStepOf } from '../../subjects/next-action.ts'

export const endUserColumns: readonly Column<EndUser>[] = [
  {
    id: 'user',
    header: 'End-user',
    cell: ({ externalUserId }) => externalUserId,
    className: 'rows:max-w-72 break-all',
  },
  { id: 'kyc', header: 'KYC', cell: ({ kycStatus }) => <KycBadge status={kycStatus} /> },
  {
    id: 'next',
    header: 'Next action',
    className: 'lg:whitespace-nowrap',
    cell: (user) => (user.nextAction.kind === 'none' ? <span className="text-soft">–</span> : nextStepOf(user).title),
  },
  { id: 'type', header: 'Type', wideOnly: true, cell: ({ type }) => endUserTypeWords[type] },
  {
    id: 'email',
    header: 'Email',
    wideOnly: true,
    className: 'max-w-56',
    cell: ({ email }) =>
      email === null ? (
        <span className="text-soft">–</span>
      ) : (
        <span className="block truncate" title={email}>
          {email}
        </span>
      ),
  },
  {
    id: 'created',
    header: 'Created',
    align: 'right',
    cell: ({ createdAt }) => <TimeAgo at={createdAt} />,
  },
]
