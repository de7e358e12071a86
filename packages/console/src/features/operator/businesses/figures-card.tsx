// Figures of a business, in total and for the last 30 days.

import type { Stats } from '@causeway/sdk'
import { useQuery } from '@tanstack/react-query'
import { Money } from '../../../components/money.tsx'
import { Failure, Skeleton } from '../../../components/states.tsx'
import { Card } from '../../../components/ui/card.tsx'
import { volumeLeavesOut, volumesByCurrency } from '../../../subjects/volume.ts'
import { Figure, Figures } from '../figure.tsx'
import { figuresQuery } from '../queries.ts'
import { countWords, kycWords } from '../words.tsx'

export function FiguresCard({ customerId }: { customerId: string }) {
  const { data, error, refetch } = useQuery(figuresQuery(customerId))
  return (
    <Card title="Last 30 days">
      {error !== null && data === undefined && <Failure error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton lines={3} />}
      {data !== undefined && <Shown stats={data} />}
    </Card>
  )
}

const percent = 100

function Shown({ stats }: { stats: Stats }) {
  const { endUsers, virtualAccounts, endpoints } = stats
  const volumes = volumesByCurrency(stats.deposits)
  const depositCount = stats.deposits.reduce((sum, { count }) => sum + count, 0)
  const attempts = endpoints.reduce((sum, one) => sum + one.attempts, 0)
  const delivered = endpoints.reduce((sum, one) => sum + one.attempts * (one.successRate ?? 0), 0)
  const backlog = endpoints.reduce((sum, one) => sum + one.backlog, 0)
  return (
    <Figures>
      <Figure
        name="End-users"
        note={Object.entries(endUsers.byStatus)
          .map(([status, count]) => `${countWords(count)} ${kycWords[status] ?? status}`)
          .join(', ')}
      >
        {countWords(endUsers.total)}
      </Figure>
      <Figure name="Virtual accounts" note={`${countWords(virtualAccounts.byStatus['active'] ?? 0)} active`}>
        {countWords(virtualAccounts.total)}
      </Figure>
      <Figure
        name="Volume"
        note={`${countWords(volumes.reduce((sum, { count }) => sum + count, 0))} of ${countWords(depositCount)} deposits. ${volumeLeavesOut}`}
      >
        {volumes.length === 0 ? (
          'None'
        ) : (
          <span className="grid">
            {volumes.map(({ currency, total }) => (
              <Money key={currency} amount={{ currency, value: total }} />
            ))}
          </span>
        )}
      </Figure>
      <Figure
        name="Webhooks delivered"
        note={`${countWords(attempts)} attempts, ${countWords(backlog)} waiting`}
        tone={attempts > 0 && delivered / attempts < 0.9 ? 'warn' : 'plain'}
      >
        {attempts === 0 ? '–' : `${((delivered / attempts) * percent).toFixed(1)}%`}
      </Figure>
    </Figures>
  )
}
