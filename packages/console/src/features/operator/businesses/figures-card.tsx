// What a business has, and what it did in the last 30 days.

import type { Stats } from '@causeway/sdk'
import { useQuery } from '@tanstack/react-query'
import { sumOfDecimals } from '../../../components/chart/decimal-sum.ts'
import { Money } from '../../../components/money.tsx'
import { Failure, Skeleton } from '../../../components/states.tsx'
import { Card } from '../../../components/ui/card.tsx'
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

const volumeOf = (stats: Stats) => {
  const byCurrency = Map.groupBy(stats.deposits, ({ currency }) => currency)
  return [...byCurrency].map(([currency, rows]) => ({
    currency,
    value: sumOfDecimals(rows.map(({ volume }) => volume.value)),
    count: rows.reduce((sum, { count }) => sum + count, 0),
  }))
}

const percent = 100

function Shown({ stats }: { stats: Stats }) {
  const { endUsers, virtualAccounts, endpoints } = stats
  const volume = volumeOf(stats)
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
      <Figure name="Deposits" note={`${countWords(volume.reduce((sum, { count }) => sum + count, 0))} in all statuses`}>
        {volume.length === 0 ? (
          'None'
        ) : (
          <span className="grid">
            {volume.map((amount) => (
              <Money key={amount.currency} amount={amount} />
            ))}
          </span>
        )}
      </Figure>
      <Figure
        name="Webhooks delivered"
        note={`${countWords(attempts)} attempts, ${countWords(backlog)} waiting`}
        tone={attempts > 0 && delivered / attempts < 0.9 ? 'warn' : 'plain'}
      >
        {attempts === 0 ? '–' : `${((delivered / attempts) * percent).toFixed(1)} %`}
      </Figure>
    </Figures>
  )
}
