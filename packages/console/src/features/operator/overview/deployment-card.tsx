// How many businesses this deployment has, and how much it stores.

import type { CustomerStatus } from '@causeway/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Failure, Skeleton } from '../../../components/states.tsx'
import { Card } from '../../../components/ui/card.tsx'
import { Figure, Figures } from '../figure.tsx'
import { businessCountQuery, storageQuery } from '../queries.ts'
import { bytesWords, countWords } from '../words.tsx'

export function DeploymentCard() {
  const active = useQuery(businessCountQuery('active'))
  const suspended = useQuery(businessCountQuery('suspended'))
  const storage = useQuery(storageQuery)
  const failed = [active, suspended, storage].find(({ data, error }) => data === undefined && error !== null)
  if (failed !== undefined) return <Failure error={failed.error} onRetry={() => void failed.refetch()} />
  const isRead = active.data !== undefined && suspended.data !== undefined && storage.data !== undefined
  return (
    <Card title="Businesses and storage">
      {isRead ? (
        <Figures>
          <Figure name="Active businesses" note={<BusinessesLink status="active" />}>
            {totalWords(active.data)}
          </Figure>
          <Figure name="Suspended businesses" note={<BusinessesLink status="suspended" />}>
            {totalWords(suspended.data)}
          </Figure>
          <Figure
            name="Database"
            note={
              <Link to="/operator/storage" className="text-accent underline">
                View storage
              </Link>
            }
          >
            {bytesWords(storage.data.bytes)}
          </Figure>
          <Figure name="Event retention">{storage.data.retention.eventDays} days</Figure>
        </Figures>
      ) : (
        <Skeleton lines={3} />
      )}
    </Card>
  )
}

const totalWords = ({ count, hasMore }: { count: number; hasMore: boolean }): string =>
  `${countWords(count)}${hasMore ? '+' : ''}`

const BusinessesLink = ({ status }: { status: CustomerStatus }) => (
  <Link to="/operator/businesses" search={{ status }} className="text-accent underline">
    View {status} businesses
  </Link>
)
