// Responses of an endpoint over time: as a chart, and as a table for screen readers.

import { useQuery } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense } from 'react'
import { Failure, Skeleton } from '../../../components/states.tsx'
import { Button } from '../../../components/ui/button.tsx'
import { Card } from '../../../components/ui/card.tsx'
import { countText } from '../columns.tsx'
import { type HealthRange, healthQuery, healthRanges, spans as ranges } from '../queries.ts'
import { deliveredOf, duration, percent } from '../words.ts'
import { hourlyTotals } from './rows.ts'

const HealthChart = lazy(() => import('./health-chart.tsx').then((file) => ({ default: file.HealthChart })))

type Props = { endpointId: string; range: HealthRange; onRange: (range: HealthRange) => void }

export function HealthCard({ endpointId, range, onRange }: Props) {
  const { data, error, refetch } = useQuery(healthQuery(range))
  const { stats, spans } = hourlyTotals(endpointId, data)
  const isEmpty = spans?.every(({ delivered, failed }) => delivered + failed === 0) ?? false
  return (
    <Card
      title="Health"
      actions={
        <fieldset aria-label="Time range" className="flex gap-1">
          {healthRanges.map((one) => (
            <Button
              key={one}
              size="sm"
              variant={one === range ? 'outline' : 'ghost'}
              aria-pressed={one === range}
              onClick={() => onRange(one)}
            >
              {ranges[one].words}
            </Button>
          ))}
        </fieldset>
      }
    >
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {spans === null && !error && <Skeleton lines={6} />}
      {spans !== null && (
        <div className="grid gap-4">
          <dl className="grid grid-cols-2 gap-x-6 gap-y-3 sm:grid-cols-5">
            <Figure name="Delivered" note={stats?.successRate == null ? null : `${deliveredOf(stats)} attempts`}>
              {percent(stats?.successRate ?? null)}
            </Figure>
            <Figure name="Attempts">{(stats?.attempts ?? 0).toLocaleString('en')}</Figure>
            <Figure name="Median">{stats?.p50Ms == null ? '–' : duration(stats.p50Ms)}</Figure>
            <Figure name="95th percentile">{stats?.p95Ms == null ? '–' : duration(stats.p95Ms)}</Figure>
            <Figure name="Backlog">{countText(stats?.backlog ?? 0)}</Figure>
          </dl>
          {isEmpty ? (
            <p className="text-soft">No attempt in the last {ranges[range].words}.</p>
          ) : (
            <Suspense fallback={<div className="h-44 animate-pulse rounded bg-sunken" />}>
              <HealthChart spans={spans} interval={ranges[range].interval} />
            </Suspense>
          )}
        </div>
      )}
    </Card>
  )
}

function Figure({ name, note, children }: { name: string; note?: string | null; children: ReactNode }) {
  return (
    <div className="grid gap-0.5">
      <dt className="text-soft text-xs">{name}</dt>
      <dd className="font-semibold text-lg tabular-nums">
        {children}
        {note && <span className="block font-normal text-soft text-xs">{note}</span>}
      </dd>
    </div>
  )
}
