// The events of a deposit, each with the deliveries to the endpoints.

import type { Deposit, Event } from '@causeway/sdk'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Failure, Skeleton } from '../../components/states.tsx'
import { TimeAgo } from '../../components/time.tsx'
import { Badge } from '../../components/ui/badge.tsx'
import { Card } from '../../components/ui/card.tsx'
import { may } from '../../session/session.ts'
import { deliveryStates } from '../../subjects/delivery.ts'
import { endpointName, endpointsQuery } from '../../subjects/endpoint.ts'
import { deliveriesOfEventQuery, eventsOfDepositQuery } from './queries.ts'

const business = getRouteApi('/business')

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
  const nameOf = useEndpointNames()
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
        <ul aria-label="Deliveries" className="flex flex-wrap gap-x-4 gap-y-1">
          {deliveries.map(({ id: deliveryId, status, webhookEndpointId }) => (
            <li key={deliveryId} className="min-w-0">
              <Link
                to="/webhooks/deliveries/$id"
                params={{ id: deliveryId }}
                className="flex flex-wrap items-center gap-x-1.5 gap-y-0.5 text-xs hover:underline"
              >
                <Badge tone={deliveryStates[status][0]}>{deliveryStates[status][1]}</Badge>{' '}
                <span className="min-w-0 break-all text-soft">{nameOf(webhookEndpointId)}</span>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </li>
  )
}

/** A session that may not see endpoints gets their IDs. */
function useEndpointNames(): (id: string) => string {
  const { session } = business.useRouteContext()
  const { data: endpoints } = useQuery({ ...endpointsQuery, enabled: may(session, 'webhooks:read') })
  return (id) => {
    if (endpoints === undefined) return id
    const endpoint = endpoints.find((known) => known.id === id)
    return endpoint === undefined ? 'Deleted endpoint' : endpointName(endpoint)
  }
}
