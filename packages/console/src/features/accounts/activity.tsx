// The deposits of an account, and its history.

import type { Deposit, Event } from '@causeway/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { DataTable } from '../../components/data-table.tsx'
import { Money } from '../../components/money.tsx'
import { Empty, Failure, Skeleton } from '../../components/states.tsx'
import { type Happening, Timeline } from '../../components/timeline.tsx'
import type { Tone } from '../../components/ui/badge.tsx'
import { Card } from '../../components/ui/card.tsx'
import { depositStates, ownDepositColumns } from '../../subjects/deposit.tsx'
import { depositsOfAccountQuery, eventsOfAccountQuery } from './queries.ts'

export function AccountDeposits({ id }: { id: string }) {
  const { data: page, error, refetch } = useQuery(depositsOfAccountQuery(id))
  return (
    <Card
      flush
      title="Deposits"
      actions={
        page?.nextCursor && (
          <Link to="/deposits" search={{ virtualAccountId: id }} className="text-accent underline">
            All deposits of this account
          </Link>
        )
      }
    >
      {error !== null && page === undefined ? (
        <Failure error={error} onRetry={() => void refetch()} className="m-4" />
      ) : (
        <DataTable
          caption="The newest deposits of this account"
          columns={ownDepositColumns}
          rows={page?.data}
          idOf={(deposit) => deposit.id}
          linkOf={(deposit) => ({ to: '/deposits/$depositId', params: { depositId: deposit.id } })}
          empty={<Empty title="No deposits yet">A deposit appears here as soon as the provider reports it.</Empty>}
        />
      )}
    </Card>
  )
}

export function AccountTimeline({ id }: { id: string }) {
  const { data: events, error, refetch } = useQuery(eventsOfAccountQuery(id))
  return (
    <Card title="Activity">
      {error !== null && events === undefined && <Failure error={error} onRetry={() => void refetch()} />}
      {error === null && events === undefined && <Skeleton lines={4} />}
      {events?.length === 0 && (
        <Empty title="No activity to show">Events are kept for a limited time. The account itself is kept.</Empty>
      )}
      {events !== undefined && events.length > 0 && <Timeline happenings={happeningsOf(events)} />}
    </Card>
  )
}

const words: Readonly<Record<string, readonly [words: string, tone: Tone]>> = {
  'virtual_account.created': ['Account opened', 'good'],
  'virtual_account.updated': ['Account changed', 'idle'],
  'virtual_account.suspended': ['Account suspended', 'warn'],
  'virtual_account.resumed': ['Account resumed', 'good'],
  'virtual_account.deactivated': ['Account deactivated', 'off'],
  'virtual_account.reactivated': ['Account reactivated', 'good'],
  'virtual_account.failed': ['Account could not be opened', 'bad'],
}

/** Several events can report one state, for example a payment and its deposit: the later one is shown. */
function happeningsOf(events: readonly Event[]): readonly Happening[] {
  const seen = new Set<string>()
  return events.flatMap((event) => {
    const deposit = depositOf(event.payload['data'])
    const name = deposit === null ? event.id : `${deposit.id} ${deposit.status}`
    if (seen.has(name)) return []
    seen.add(name)
    return [deposit === null ? ofAccount(event) : ofDeposit(event, deposit)]
  })
}

const newDetails = ['The provider changed the bank details', 'warn'] as const

const parts: Readonly<Record<string, string>> = {
  destination: 'Payout destination changed',
  developerFeePercent: 'Fee changed',
  feeConfig: 'Fee changed',
  metadata: 'Metadata changed',
}

function changeOf({ data }: Event['payload']): readonly [words: string, tone: Tone] | null {
  const { changed = [], pendingDestination } = (data ?? {}) as {
    changed?: string[]
    pendingDestination?: object | null
  }
  if (changed.includes('bankDetails')) return newDetails
  const named = new Set(changed.flatMap((part) => parts[part] ?? []))
  if (changed.includes('pendingDestination') && !changed.includes('destination'))
    named.add(pendingDestination ? 'Destination change scheduled' : 'Destination change canceled')
  return named.size === 0 ? null : [[...named].join('. '), 'idle']
}

function ofAccount({ id, eventType, createdAt, payload }: Event): Happening {
  const [text, tone] = changeOf(payload) ?? words[eventType] ?? [eventType, 'idle']
  return { id, at: createdAt, words: text, tone }
}

type DepositFacts = Pick<Deposit, 'id' | 'status' | 'grossAmount'>

function ofDeposit({ id, createdAt }: Event, deposit: DepositFacts): Happening {
  const { tone, words: state } = depositStates[deposit.status]
  return {
    id,
    at: createdAt,
    tone,
    words: (
      <>
        <Link to="/deposits/$depositId" params={{ depositId: deposit.id }} className="underline">
          Deposit
        </Link>{' '}
        {deposit.grossAmount !== null && (
          <>
            of <Money amount={deposit.grossAmount} />
          </>
        )}
        : {state.toLowerCase()}
      </>
    ),
  }
}

/** Events of this service have the deposit as the API shows it. */
function depositOf(data: unknown): DepositFacts | null {
  const deposit = data as Partial<Deposit> | null
  return deposit?.id?.startsWith('dep_') && deposit.status !== undefined && deposit.status in depositStates
    ? { id: deposit.id, status: deposit.status, grossAmount: deposit.grossAmount ?? null }
    : null
}
