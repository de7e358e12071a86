// The first page: what needs somebody, then how the business does.

import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Page } from '../../components/page.tsx'
import { Empty, Failure, Skeleton, Stale } from '../../components/states.tsx'
import { Card } from '../../components/ui/card.tsx'
import { cn } from '../../components/ui/cn.ts'
import { Select } from '../../components/ui/form.tsx'
import { may } from '../../session/session.ts'
import { Attention, hasAttention } from './attention.tsx'
import { DeliveryCard, FunnelCard, VolumeCard } from './charts.tsx'
import { FirstSteps, stepsOf } from './first-steps.tsx'
import { endpointsQuery, statsQuery } from './queries.ts'
import { type Range, rangeDefault, rangeOf, ranges } from './range.ts'

const route = getRouteApi('/business/')
const frame = getRouteApi('/business')
const root = getRouteApi('__root__')

export function HomePage() {
  const { session } = frame.useRouteContext()
  const { range = rangeDefault } = route.useSearch()
  const navigate = route.useNavigate()
  const seesStats = may(session, 'events:read')
  const seesHooks = may(session, 'webhooks:read')
  const { isSandbox } = root.useLoaderData()
  const figures = useQuery({ ...statsQuery(range), enabled: seesStats })
  const { data: stats, error, refetch, dataUpdatedAt, isPlaceholderData } = figures
  const endpoints = useQuery({ ...endpointsQuery, enabled: seesHooks })
  const isReady = stats !== undefined && (!seesHooks || !endpoints.isPending)
  const steps = isReady ? stepsOf(stats, seesHooks ? (endpoints.data?.length ?? 0) : null, isSandbox) : []
  // Deposits of before the range say as little as none at all; accounts do.
  const isNew = stats !== undefined && (stats.endUsers.total === 0 || stats.virtualAccounts.total === 0)
  const isBegun = stats !== undefined && stats.endUsers.total > 0
  return (
    <Page
      title="Home"
      actions={
        seesStats &&
        !isNew && (
          <Select
            aria-label="Time range"
            className="w-auto"
            value={range}
            onChange={({ target }) => {
              const next = rangeOf(target.value)
              void navigate({ search: next === undefined ? {} : { range: next }, replace: true, resetScroll: false })
            }}
          >
            {Object.entries(ranges).map(([name, { words }]) => (
              <option key={name} value={name}>
                Last {words}
              </option>
            ))}
          </Select>
        )
      }
    >
      {hasAttention(session) && (!isNew || isBegun) && <Attention session={session} />}
      {!hasAttention(session) && !seesStats && (
        <Empty title="Signed in">The navigation lists the pages that you can open.</Empty>
      )}
      {stats !== undefined && <Stale error={error} atMs={dataUpdatedAt} onRetry={() => void refetch()} />}
      {isNew && isReady && <FirstSteps steps={steps} />}
      {seesStats && error !== null && stats === undefined && <Failure error={error} onRetry={() => void refetch()} />}
      {seesStats && error === null && stats === undefined && <ChartsToCome range={range} />}
      {stats !== undefined && !isNew && (
        // The figures of another range keep their place, and are not shown.
        <div
          aria-busy={isPlaceholderData}
          className={cn('grid min-w-0 items-start gap-5 lg:grid-cols-2', isPlaceholderData && 'invisible')}
        >
          <VolumeCard stats={stats} />
          <div className="grid min-w-0 gap-5">
            <DeliveryCard stats={stats} />
            {may(session, 'end_users:read') && <FunnelCard stats={stats} />}
          </div>
        </div>
      )}
    </Page>
  )
}

/** As high as what comes. */
const ChartsToCome = ({ range }: { range: Range }) => (
  <div className="grid gap-5 lg:grid-cols-2">
    {[`Volume of ${ranges[range].words}`, 'Webhook health'].map((title) => (
      <Card key={title} title={title}>
        <Skeleton lines={5} />
      </Card>
    ))}
  </div>
)
