// The accounts and deposits of an end-user, the latest of each.

import type { VirtualAccount } from '@causeway/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { type Column, DataTable } from '../../../components/data-table.tsx'
import { Failure } from '../../../components/states.tsx'
import { TimeAgo } from '../../../components/time.tsx'
import { Badge } from '../../../components/ui/badge.tsx'
import { Card } from '../../../components/ui/card.tsx'
import { accountStates } from '../../../subjects/account.ts'
import { ownDepositColumns } from '../../../subjects/deposit.tsx'
import { plainName } from '../../../subjects/next-action.ts'
import { accountsOfQuery, depositsOfQuery } from '../queries.ts'

const accountColumns: readonly Column<VirtualAccount>[] = [
  {
    id: 'account',
    header: 'Account',
    cell: ({ sourceCurrency, bankAccountNumber }) => (
      <>
        <span className="uppercase">{sourceCurrency}</span>
        {bankAccountNumber !== '' && <span className="text-soft"> ···{bankAccountNumber.slice(-4)}</span>}
      </>
    ),
  },
  {
    id: 'status',
    header: 'Status',
    cell: ({ status }) => <Badge tone={accountStates[status].tone}>{accountStates[status].words}</Badge>,
  },
  {
    id: 'destination',
    header: 'Payout',
    cell: ({ destinationCurrency, destinationPaymentRail }) =>
      `${destinationCurrency.toUpperCase()} on ${plainName(destinationPaymentRail)}`,
  },
  { id: 'created', header: 'Opened', align: 'right', cell: ({ createdAt }) => <TimeAgo at={createdAt} /> },
]

/** @param mayOpen whether the session may open accounts */
export function AccountsCard({ externalUserId, mayOpen }: { externalUserId: string; mayOpen: boolean }) {
  const { data, error, refetch } = useQuery(accountsOfQuery(externalUserId))
  return (
    <Card
      flush
      title="Accounts"
      actions={
        (mayOpen || data?.nextCursor != null) && (
          <Link to="/accounts" search={{ externalUserId }} className="text-accent underline">
            {data?.nextCursor == null ? 'Open account' : 'View all'}
          </Link>
        )
      }
    >
      {error !== null && data === undefined ? (
        <Failure error={error} onRetry={() => void refetch()} className="m-4" />
      ) : (
        <DataTable
          caption="Accounts of the end-user"
          columns={accountColumns}
          rows={data?.rows}
          idOf={({ id }) => id}
          linkOf={({ id }) => ({ to: '/accounts/$accountId', params: { accountId: id } })}
          empty={<Nothing>No accounts yet. You can open one after KYC approval.</Nothing>}
        />
      )}
    </Card>
  )
}

export function DepositsCard({ externalUserId }: { externalUserId: string }) {
  const { data, error, refetch } = useQuery(depositsOfQuery(externalUserId))
  return (
    <Card
      flush
      title="Deposits"
      actions={
        data?.nextCursor != null && (
          <Link to="/deposits" search={{ externalUserId }} className="text-accent underline">
            View all
          </Link>
        )
      }
    >
      {error !== null && data === undefined ? (
        <Failure error={error} onRetry={() => void refetch()} className="m-4" />
      ) : (
        <DataTable
          caption="Deposits of the end-user"
          columns={ownDepositColumns}
          rows={data?.rows}
          idOf={({ id }) => id}
          linkOf={({ id }) => ({ to: '/deposits/$depositId', params: { depositId: id } })}
          empty={<Nothing>No deposits yet. Deposits to this end-user’s accounts appear here.</Nothing>}
        />
      )}
    </Card>
  )
}

const Nothing = ({ children }: { children: ReactNode }) => <p className="px-4 py-5 text-soft">{children}</p>
