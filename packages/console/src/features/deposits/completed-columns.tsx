// The list of a day's report.

import type { CompletedDeposit } from '@causeway/sdk'
import type { Column } from '../../components/data-table.tsx'
import { Money } from '../../components/money.tsx'
import { Time } from '../../components/time.tsx'
import { Badge } from '../../components/ui/badge.tsx'

type Difference = NonNullable<CompletedDeposit['difference']>

export const differenceWords: Readonly<Record<Difference['code'], string>> = {
  amount_unknown: 'Amount unknown',
  net_differs: 'Payout differs',
}

export const completedColumns: readonly Column<CompletedDeposit>[] = [
  { id: 'completed', header: 'Completed', cell: ({ completedAt }) => completedAt && <Time at={completedAt} isUtc /> },
  { id: 'user', header: 'End-user', cell: ({ externalUserId }) => externalUserId },
  { id: 'gross', header: 'Received', align: 'right', cell: ({ grossAmount }) => <Money amount={grossAmount} /> },
  {
    id: 'fee',
    header: 'Your fee',
    align: 'right',
    wideOnly: true,
    cell: ({ developerFee }) => <Money amount={developerFee} />,
  },
  { id: 'net', header: 'Paid out', align: 'right', cell: ({ netAmount }) => <Money amount={netAmount} /> },
  {
    id: 'difference',
    header: 'Reconciled',
    align: 'right',
    cell: ({ difference }) =>
      difference === null ? (
        <Badge tone="good">Yes</Badge>
      ) : (
        <Badge tone="warn">{differenceWords[difference.code]}</Badge>
      ),
  },
]
