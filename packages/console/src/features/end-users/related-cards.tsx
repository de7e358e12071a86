// The accounts and deposits of an end-user, the latest of each.

import type { Deposit, VirtualAccount } from '@causeway/sdk'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Money } from '../../components/money.tsx'
import { Failure } from '../../components/states.tsx'
import { TimeAgo } from '../../components/time.tsx'
import { Card } from '../../components/ui/card.tsx'
import { PlaceLink } from '../../components/ui/place-link.tsx'
import { plainName } from '../../components/words/next-action.ts'
import { AccountBadge, DepositBadge } from '../../components/words/status.tsx'
import { accountsOfQuery, depositsOfQuery } from './queries.ts'

/** The whole row is its target. */
const rowLink = 'font-medium after:absolute after:inset-0 hover:underline'

const accountColumns: readonly Column<VirtualAccount>[] = [
  {
    id: 'account',
    header: 'Account',
    cell: ({ id, sourceCurrency, bankAccountNumber }) => (
      <PlaceLink className={rowLink} to={`/accounts/${id}`}>
        <span className="uppercase">{sourceCurrency}</span>
        {bankAccountNumber !== '' && <span className="text-soft"> ···{bankAccountNumber.slice(-4)}</span>}
      </PlaceLink>
    ),
  },
  { id: 'status', header: 'State', cell: ({ status }) => <AccountBadge status={status} /> },
  {
    id: 'destination',
    header: 'Pays out as',
    cell: ({ destinationCurrency, destinationPaymentRail }) =>
      `${destinationCurrency.toUpperCase()} on ${plainName(destinationPaymentRail)}`,
  },
  { id: 'created', header: 'Opened', align: 'right', cell: ({ createdAt }) => <TimeAgo at={createdAt} /> },
]

const depositColumns: readonly Column<Deposit>[] = [
  {
    id: 'gross',
    header: 'Paid in',
    cell: ({ id, grossAmount }) => (
      <PlaceLink className={rowLink} to={`/deposits/${id}`}>
        <Money amount={grossAmount} />
      </PlaceLink>
    ),
  },
  { id: 'status', header: 'State', cell: ({ status }) => <DepositBadge status={status} /> },
  { id: 'net', header: 'Paid out', align: 'right', cell: ({ netAmount }) => <Money amount={netAmount} /> },
  { id: 'created', header: 'Came in', align: 'right', cell: ({ createdAt }) => <TimeAgo at={createdAt} /> },
]

const Nothing = ({ children }: { children: string }) => <p className="px-4 py-5 text-soft">{children}</p>

type ListOf<Row> = UseQueryResult<{ rows: readonly Row[]; nextCursor: string | null }>

export function AccountsCard({ externalUserId }: { externalUserId: string }) {
  return (
    <ListCard
      title="Accounts"
      list={useQuery(accountsOfQuery(externalUserId))}
      columns={accountColumns}
      path="/accounts"
      externalUserId={externalUserId}
      empty={
        <Nothing>No account yet. An account can be opened once KYC is approved and its currency is active.</Nothing>
      }
    />
  )
}

export function DepositsCard({ externalUserId }: { externalUserId: string }) {
  return (
    <ListCard
      title="Deposits"
      list={useQuery(depositsOfQuery(externalUserId))}
      columns={depositColumns}
      path="/deposits"
      externalUserId={externalUserId}
      empty={<Nothing>No deposit yet. What is paid into an account of this end-user appears here.</Nothing>}
    />
  )
}

type Props<Row> = {
  title: string
  list: ListOf<Row>
  columns: readonly Column<Row>[]
  path: '/accounts' | '/deposits'
  externalUserId: string
  empty: ReactNode
}

function ListCard<Row extends { id: string }>({ title, list, columns, path, externalUserId, empty }: Props<Row>) {
  const { data, error, refetch } = list
  const hasMore = data?.nextCursor != null
  return (
    <Card
      title={title}
      flush
      actions={
        hasMore && (
          <PlaceLink to={path} search={{ externalUserId }}>
            All of them
          </PlaceLink>
        )
      }
    >
      {error !== null && data === undefined ? (
        <Failure error={error} onRetry={() => void refetch()} className="m-4" />
      ) : (
        <DataTable
          caption={`${title} of the end-user`}
          columns={columns}
          rows={data?.rows}
          idOf={({ id }) => id}
          empty={empty}
        />
      )}
    </Card>
  )
}
