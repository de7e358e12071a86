// The events of a deposit, each with the deliveries to the endpoints.

import type { Deposit, Event } from '@causeway/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Failure, Skeleton } from '../../components/states.tsx'
import { TimeAgo } from '../../components/time.tsx'
import { Badge } from '../../components/ui/badge.tsx'
import { Card } from '../../components/ui/card.tsx'
import { deliveryStates } from '../../subjects/delivery.ts'
import { deliveriesOfEventQuery, eventsOfDepositQuery } from './queries.ts'

export function DepositEvents({ deposit }: { deposit: Deposit }) {
  const { data: events, error, refetch } = useQuery(eventsOfDepositQuery(deposit))
  return (
    <Card title="Events and deliveries" flush>
      {error !== null && events === undefined && (
        <Failure className="m-4" error={error} onRetry={() => void refetch()} />
      )}
      {error === null && events === undefined && <Skeleton className="p-4" lines={3} />}
      {events?.length === 0 && <p className="px-4 py-5 text-soft">No events in the retention period.</p>}
      <ul>
        {events?.map((event) => (
          <EventRow key={event.id} event={event} />
        ))}
      </ul>
    </Card>
  )
}

function EventRow({ event: { id, eventType, createdAt } }: { event: Event }) {
  const { data: deliveries } = useQuery(deliveriesOfEventQuery(id))
  return (
    <li className="grid gap-1.5 border-line border-b px-4 py-2.5 last:border-0">
      <span className="flex flex-wrap items-baseline justify-between gap-x-4">
        <Link to="/events/$id" params={{ id }} className="min-w-0 break-all font-mono text-accent text-xs underline">
          {eventType}
        </Link>
        <span className="text-soft text-xs">
          <TimeAgo at={createdAt} />
        </span>
      </span>
      {deliveries !== undefined && deliveries.length > 0 && (
        <ul aria-label="Deliveries" className="flex flex-wrap gap-1.5">
          {deliveries.map(({ id: deliveryId, status }) => (
            <li key={deliveryId}>
              <Link to="/webhooks/deliveries/$id" params={{ id: deliveryId }} className="hover:underline">
                <Badge tone={deliveryStates[status][0]}>{deliveryStates[status][1]}</Badge>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </li>
  )
}
