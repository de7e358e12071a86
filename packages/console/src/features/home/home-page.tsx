// The first page: what needs somebody, then how the business does.

import type { Stats } from '@causeway/sdk'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Page } from '../../components/page.tsx'
import { Empty, Failure, Skeleton, Stale } from '../../components/states.tsx'
import { Card } from '../../components/ui/card.tsx'
import { cn } from '../../components/ui/cn.ts'
import { Select } from '../../components/ui/form.tsx'
import { may, type Session } from '../../session/session.ts'
import { endpointsQuery } from '../../subjects/endpoint.ts'
import { Attention, hasAttention } from './attention.tsx'
import { DeliveryCard, FunnelCard, VolumeCard } from './charts.tsx'
import { type Facts, FirstSteps, stepsOf } from './first-steps.tsx'
import { LatestDeposits, LatestEvents } from './latest.tsx'
import { hasKeyQuery, latestDepositsQuery, statsQuery } from './queries.ts'
import { type Range, rangeDefault, rangeOf, ranges } from './range.ts'

const route = getRouteApi('/business/')
const frame = getRouteApi('/business')
const root = getRouteApi('__root__')

export function HomePage() {
  const { session } = frame.useRouteContext()
  const { range = rangeDefault } = route.useSearch()
  const seesStats = may(session, 'events:read')
  const figures = useQuery({ ...statsQuery(range), enabled: seesStats })
  const { data: stats, error, refetch, dataUpdatedAt, isPlaceholderData } = figures
  const facts = useFacts(session)
  // Deposits of before the range are no part of the statistics.
  const isNew =
    stats !== undefined &&
    (stats.endUsers.total === 0 || stats.virtualAccounts.total === 0 || facts?.hasDeposit === false)
  const isBegun = stats !== undefined && stats.endUsers.total > 0
  return (
    <Page title="Home" actions={seesStats && !isNew && <RangeField range={range} />}>
      {hasAttention(session) && (!isNew || isBegun) && <Attention session={session} />}
      {!hasAttention(session) && !seesStats && (
        <Empty title="Signed in">The navigation lists the pages that you can open.</Empty>
      )}
      {stats !== undefined && <Stale error={error} atMs={dataUpdatedAt} onRetry={() => void refetch()} />}
      {isNew && facts !== null && <FirstSteps steps={stepsOf({ stats, ...facts })} />}
      {isNew && isBegun && <LatestEvents />}
      {seesStats && error !== null && stats === undefined && <Failure error={error} onRetry={() => void refetch()} />}
      {seesStats && error === null && stats === undefined && <ChartsToCome range={range} />}
      {stats !== undefined && !isNew && <Figures stats={stats} isOfBefore={isPlaceholderData} session={session} />}
    </Page>
  )
}

/** Further data of the checklist besides statistics; null while loading. */
function useFacts(session: Session): Omit<Facts, 'stats'> | null {
  const [seesHooks, seesKeys, seesMoney] = [
    may(session, 'webhooks:read'),
    may(session, 'api_keys:read'),
    may(session, 'virtual_accounts:read'),
  ]
  const { isSandbox } = root.useLoaderData()
  const endpoints = useQuery({ ...endpointsQuery, enabled: seesHooks })
  const keys = useQuery({ ...hasKeyQuery, enabled: seesKeys })
  const deposits = useQuery({ ...latestDepositsQuery, enabled: seesMoney })
  if ([endpoints, keys, deposits].some(({ isPending, isEnabled }) => isPending && isEnabled)) return null
  return {
    hasEndpoint: endpoints.data ? endpoints.data.length > 0 : null,
    hasKey: keys.data ?? null,
    hasDeposit: deposits.data ? deposits.data.length > 0 : null,
    isSandbox,
  }
}

type FiguresProps = { stats: Stats; isOfBefore: boolean; session: Session }

/** The figures of another range keep their place, and are not shown. */
function Figures({ stats, isOfBefore, session }: FiguresProps) {
  const ofRange = cn('grid min-w-0 items-start gap-5 lg:grid-cols-2', isOfBefore && 'invisible')
  return (
    <>
      <div aria-busy={isOfBefore} className={ofRange}>
        <VolumeCard stats={stats} />
        <div className="grid min-w-0 gap-5">
          <DeliveryCard stats={stats} />
          {may(session, 'end_users:read') && <FunnelCard stats={stats} />}
        </div>
      </div>
      <div className="grid min-w-0 items-start gap-5 lg:grid-cols-2">
        {may(session, 'virtual_accounts:read') && <LatestDeposits />}
        <LatestEvents />
      </div>
    </>
  )
}

function RangeField({ range }: { range: Range }) {
  const navigate = route.useNavigate()
  return (
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
