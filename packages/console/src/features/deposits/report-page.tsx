// The reconciliation report of a day (UTC): sums by currency, discrepancies, and each deposit.

import type { Data } from '@causeway/sdk'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import { CsvExport } from '../../components/csv-export.tsx'
import { ListCard } from '../../components/lists/list-card.tsx'
import { Money } from '../../components/money.tsx'
import { Page } from '../../components/page.tsx'
import { Empty, Failure, Skeleton } from '../../components/states.tsx'
import { Badge } from '../../components/ui/badge.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Card } from '../../components/ui/card.tsx'
import { Input } from '../../components/ui/form.tsx'
import { present } from '../../search.ts'
import { completedColumns, differenceWords } from './completed-columns.tsx'
import { completedCsv, completedQuery, sumsQuery } from './queries.ts'
import { SumTable } from './sum-table.tsx'

const route = getRouteApi('/business/deposits/report')
const dayMs = 86_400_000
const dayOf = (timeMs: number): string => new Date(timeMs).toISOString().slice(0, 10)

export function DepositReportPage() {
  const { day = dayOf(Date.now()), cursor } = route.useSearch()
  const navigate = useNavigate()
  const completed = useQuery(completedQuery(day, cursor))
  const go = (to: string) => void navigate({ to: '/deposits/report', search: { day: to } })
  return (
    <Page
      title="Reconciliation report"
      heading={
        <>
          Reconciliation report<span className="hidden print:inline"> of {day} (UTC)</span>
        </>
      }
      above={
        <Link to="/deposits" className="hover:text-ink hover:underline">
          Deposits
        </Link>
      }
      intro="Deposits completed on this day (UTC). A deposit that the provider confirms late is added to its own day. Reload the report before you close your books. A refund counts on the day of the refund."
      actions={
        <>
          <DayChoice day={day} onChoose={go} />
          <CsvExport fileName={`deposits-${day}.csv`} read={(signal) => completedCsv(day, signal)} />
        </>
      }
    >
      <Sums day={day} />
      <ListCard
        query={completed}
        title="Completed deposits"
        cursor={cursor}
        onPage={(next) => void navigate({ to: '/deposits/report', search: present({ day, cursor: next }) })}
        caption="Completed deposits, in the order of their completion"
        columns={completedColumns}
        idOf={({ id }) => id}
        linkOf={({ id }) => ({ to: '/deposits/$depositId', params: { depositId: id } })}
        empty={<Empty title="No deposits completed on this day">Choose another date.</Empty>}
      />
    </Page>
  )
}

function DayChoice({ day, onChoose }: { day: string; onChoose: (day: string) => void }) {
  const at = Date.parse(`${day}T00:00:00Z`)
  const isToday = day >= dayOf(Date.now())
  return (
    <span className="inline-flex items-center gap-1">
      <Button size="icon" aria-label="Previous day" onClick={() => onChoose(dayOf(at - dayMs))}>
        <ChevronLeft />
      </Button>
      <Input
        type="date"
        aria-label="Date (UTC)"
        className="w-auto"
        value={day}
        onChange={({ target }) => target.value !== '' && onChoose(target.value)}
      />
      <Button size="icon" aria-label="Next day" disabled={isToday} onClick={() => onChoose(dayOf(at + dayMs))}>
        <ChevronRight />
      </Button>
    </span>
  )
}

function Sums({ day }: { day: string }) {
  const { data: sums, error, refetch } = useQuery(sumsQuery(day))
  if (sums === undefined)
    return error === null ? <Skeleton lines={4} /> : <Failure error={error} onRetry={() => void refetch()} />
  if (sums.paidIn.length === 0) return null
  return (
    <>
      <Differences sums={sums} />
      <div className="grid grid-cols-[minmax(0,1fr)] gap-5">
        <Card flush title="Received">
          <SumTable
            caption="Amounts received, by currency"
            rows={sums.paidIn}
            columns={[
              ['Received', ({ grossAmount }) => grossAmount],
              ['Your fees', ({ developerFee }) => developerFee],
              ['Provider fees', ({ exchangeFee }) => exchangeFee],
              ['Converted', ({ subtotalAmount }) => subtotalAmount],
              ['Difference', ({ difference }) => difference],
              ['Refunded', ({ refundedAmount }) => refundedAmount],
            ]}
          />
        </Card>
        <Card flush title="Paid out">
          <SumTable
            caption="Amounts paid out, by coin"
            rows={sums.sentOn}
            columns={[
              ['Fees after conversion', ({ destinationExchangeFee }) => destinationExchangeFee],
              ['Network fees', ({ gasFee }) => gasFee],
              ['Paid out to wallets', ({ netAmount }) => netAmount],
            ]}
          />
        </Card>
      </div>
    </>
  )
}

function Differences({ sums }: { sums: Data<'sumCompletedDeposits'> }) {
  if (sums.differenceCount === 0)
    return (
      <p>
        <Badge tone="good">Reconciled</Badge>
      </p>
    )
  const rest = sums.differenceCount - sums.differences.length
  return (
    <section aria-label="Discrepancies" className="grid gap-2 rounded-lg border border-warn/40 bg-warn-soft p-4">
      <h2 className="font-semibold">
        {sums.differenceCount === 1 ? '1 deposit does' : `${sums.differenceCount} deposits do`} not balance
      </h2>
      <ul className="grid gap-1.5">
        {sums.differences.map(({ depositId, code, amount }) => (
          <li key={depositId} className="flex flex-wrap items-baseline gap-x-3">
            <Link to="/deposits/$depositId" params={{ depositId }} className="break-all font-mono text-xs underline">
              {depositId}
            </Link>
            <span>{differenceWords[code]}</span>
            <span>
              <Money amount={amount} className="font-medium" /> difference
            </span>
          </li>
        ))}
      </ul>
      {rest > 0 && <p className="text-soft">And {rest} more. The CSV lists all of them.</p>}
    </section>
  )
}
