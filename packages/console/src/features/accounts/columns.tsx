// The list of accounts.

import type { VirtualAccount } from '@causeway/sdk'
import type { Column } from '../../components/data-table.tsx'
import { TimeAgo } from '../../components/time.tsx'
import { Badge } from '../../components/ui/badge.tsx'
import { accountStates } from '../../subjects/account.ts'
import { railWords, ShortAddress, targetText } from '../../subjects/wallet-address.tsx'

export const accountColumns: readonly Column<VirtualAccount>[] = [
  { id: 'user', header: 'End-user', cell: ({ externalUserId }) => externalUserId },
  {
    id: 'status',
    header: 'Status',
    cell: (account) => (
      <span className="inline-flex flex-wrap gap-1">
        <Badge tone={accountStates[account.status].tone}>{accountStates[account.status].words}</Badge>
        {account.pendingDestination && <Badge tone="warn">Destination change pending</Badge>}
      </span>
    ),
  },
  {
    id: 'paid-in',
    header: 'Bank account',
    cell: ({ sourceCurrency, bankAccountNumber }) => (
      <span className="inline-flex flex-wrap items-baseline gap-x-2">
        <span className="font-medium uppercase">{sourceCurrency}</span>
        {bankAccountNumber !== '' && <code className="font-mono text-soft text-xs">{bankAccountNumber}</code>}
      </span>
    ),
  },
  {
    id: 'destination',
    header: 'Payout',
    cell: ({ destination: { currency, payment_rail, ...target } }) => (
      <span className="inline-flex flex-wrap items-baseline gap-x-1.5">
        <span className="font-medium uppercase">{currency}</span>
        <span className="text-soft">on {railWords(payment_rail)}</span>
        <ShortAddress address={targetText(target)} />
      </span>
    ),
  },
  {
    id: 'fee',
    header: 'Your fee',
    align: 'right',
    wideOnly: true,
    cell: ({ developerFeePercent, feeConfig }) => (
      <span className="tabular-nums">{feeConfig === undefined ? `${developerFeePercent}%` : 'By rail'}</span>
    ),
  },
  { id: 'created', header: 'Opened', align: 'right', cell: ({ createdAt }) => <TimeAgo at={createdAt} /> },
]
