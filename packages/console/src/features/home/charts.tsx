// The charts of the first page, each with its numbers as a table.

import type { Stats } from '@causeway/sdk'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import type { Column, Series } from '../../components/chart/bar-chart.tsx'
import { Money } from '../../components/money.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Card } from '../../components/ui/card.tsx'
import { PlaceLink } from '../../components/ui/place-link.tsx'
import { kycChoices } from '../../subjects/end-user.tsx'
import { volumeMeans } from '../../subjects/volume.ts'
import { attemptsOf, volumesOf } from './series.ts'

const BarChart = lazy(async () => ({ default: (await import('../../components/chart/bar-chart.tsx')).BarChart }))

const chartHeight = 132

type ChartProps = {
  title: string
  series: readonly Series[]
  columns: readonly Column[]
  names: Record<string, string>
}

/** The chart, or its numbers. */
function Chart({ title, series, columns, names, isTable }: ChartProps & { isTable: boolean }) {
  if (isTable) return <NumbersTable title={title} series={series} columns={columns} names={names} />
  return (
    <Suspense fallback={<div style={{ height: chartHeight }} className="animate-pulse rounded bg-sunken" />}>
      <BarChart title={title} series={series} columns={columns} height={chartHeight} />
    </Suspense>
  )
}

function NumbersTable({ title, series, columns, names }: ChartProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard
    <section tabIndex={0} aria-label={title} className="max-h-64 overflow-auto rounded-md border border-line">
      <table className="w-full text-left tabular-nums">
        <caption className="sr-only">{title}</caption>
        <thead className="sticky top-0 bg-sunken text-soft text-xs">
          <tr>
            <th scope="col" className="px-3 py-1.5 font-medium">
              From (UTC)
            </th>
            {series.map(({ key }) => (
              <th key={key} scope="col" className="px-3 py-1.5 text-right font-medium">
                {names[key]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {columns.toReversed().map(({ at, label, texts, values }) => (
            <tr key={at} className="border-line border-t">
              <th scope="row" className="px-3 py-1 font-normal">
                {label}
              </th>
              {series.map(({ key }) => (
                <td key={key} className="px-3 py-1 text-right">
                  {texts?.[key] ?? values[key]}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** A card whose chart can be read as a table. */
function ChartCard({
  title,
  hint,
  children,
}: {
  title: string
  hint: ReactNode
  children: (isTable: boolean) => ReactNode
}) {
  const [isTable, setTable] = useState(false)
  return (
    <Card
      title={title}
      actions={
        <Button variant="ghost" size="sm" aria-pressed={isTable} onClick={() => setTable(!isTable)}>
          {isTable ? 'View chart' : 'View table'}
        </Button>
      }
    >
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        {children(isTable)}
        <p className="text-soft text-xs">{hint}</p>
      </div>
    </Card>
  )
}

const volumeSeries = ['var(--chart-1)', 'var(--chart-2)', 'var(--chart-5)', 'var(--chart-3)', 'var(--chart-4)']

export function VolumeCard({ stats }: { stats: Stats }) {
  const volumes = volumesOf(stats)
  if (volumes.length === 0)
    return (
      <Card title="Volume by currency">
        <p className="text-soft">No deposits in this period.</p>
      </Card>
    )
  return (
    <ChartCard title="Volume by currency" hint={`${volumeMeans} Grouped by day or hour (UTC).`}>
      {(isTable) =>
        volumes.map(({ currency, total, count, columns }, at) => (
          <div key={currency} className="grid grid-cols-[minmax(0,1fr)] gap-2">
            <p className="flex items-baseline justify-between gap-3">
              <Money amount={{ value: total, currency }} className="font-semibold text-lg" />
              <span className="text-soft text-xs">{count === 1 ? '1 deposit' : `${count} deposits`}</span>
            </p>
            <Chart
              title={`Volume in ${currency.toUpperCase()}`}
              series={[{ key: 'volume', fill: volumeSeries[at % volumeSeries.length] ?? 'var(--chart-1)' }]}
              columns={columns}
              names={{ volume: currency.toUpperCase() }}
              isTable={isTable}
            />
          </div>
        ))
      }
    </ChartCard>
  )
}

const attemptSeries: readonly Series[] = [
  { key: 'delivered', fill: 'var(--good)' },
  { key: 'failed', fill: 'var(--bad)' },
]
const attemptNames = { delivered: 'Delivered', failed: 'Failed' }

const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 })
const whole = new Intl.NumberFormat('en')

export function DeliveryCard({ stats }: { stats: Stats }) {
  const { delivered, failed, columns } = attemptsOf(stats)
  const backlog = stats.endpoints.reduce((sum, one) => sum + one.backlog, 0)
  const attempts = delivered + failed
  if (attempts === 0)
    return (
      <Card title="Webhook health">
        <p className="text-soft">No delivery attempts in this period.</p>
      </Card>
    )
  return (
    <ChartCard
      title="Webhook health"
      hint={
        <>
          Delivery attempts of all endpoints. Failed attempts are retried.{' '}
          <PlaceLink to="/webhooks">View endpoints</PlaceLink>
        </>
      }
    >
      {(isTable) => (
        <>
          <p className="flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
            <span>
              <span className="font-semibold text-lg tabular-nums">{percent.format(delivered / attempts)}</span>{' '}
              <span className="text-soft">of attempts delivered</span>
            </span>
            <span className="flex flex-wrap gap-x-3 text-soft text-xs">
              <Key fill="var(--good)" words={`${whole.format(delivered)} delivered`} />
              <Key fill="var(--bad)" words={`${whole.format(failed)} failed`} />
              {backlog > 0 && <span>{whole.format(backlog)} waiting now</span>}
            </span>
          </p>
          <Chart
            title="Delivery attempts"
            series={attemptSeries}
            columns={columns}
            names={attemptNames}
            isTable={isTable}
          />
        </>
      )}
    </ChartCard>
  )
}

const Key = ({ fill, words }: { fill: string; words: string }) => (
  <span className="inline-flex items-center gap-1">
    <span aria-hidden="true" className="size-2 rounded-xs" style={{ background: fill }} />
    {words}
  </span>
)

/** How far the end-users have come, and where each state leads. */
export function FunnelCard({ stats }: { stats: Stats }) {
  const { total, byStatus } = stats.endUsers
  const count = (status: string): number => byStatus[status] ?? 0
  const steps = [
    ['Created', total],
    ['Submitted KYC', total - count('not_started')],
    ['Approved', count('approved')],
  ] as const
  return (
    <Card title="KYC funnel">
      <div className="grid gap-5">
        <ol className="grid gap-3">
          {steps.map(([words, number]) => (
            <li key={words} className="grid gap-1">
              <span className="flex items-baseline justify-between gap-3">
                <span>{words}</span>
                <span className="tabular-nums">
                  {whole.format(number)}{' '}
                  <span className="inline-block w-12 text-right text-soft text-xs">
                    {percent.format(total === 0 ? 0 : number / total)}
                  </span>
                </span>
              </span>
              <span aria-hidden="true" className="h-2.5 overflow-hidden rounded-full bg-sunken">
                <span
                  className="block h-full rounded-full bg-[var(--chart-1)]"
                  style={{ width: `${total === 0 ? 0 : (100 * number) / total}%` }}
                />
              </span>
            </li>
          ))}
        </ol>
        <ul className="flex flex-wrap gap-x-4 gap-y-1 text-xs">
          {kycChoices
            .filter(([status]) => count(status) > 0)
            .map(([status, words]) => (
              <li key={status}>
                <PlaceLink to="/end-users" search={{ status }} className="text-accent underline">
                  {words} {whole.format(count(status))}
                </PlaceLink>
              </li>
            ))}
        </ul>
      </div>
    </Card>
  )
}
