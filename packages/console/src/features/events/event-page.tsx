// One event: its payload, where it went, and why not.

import type { Event } from '@causeway/sdk'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { DetailsCard } from '../../components/details.tsx'
import { Page } from '../../components/page.tsx'
import { Payload } from '../../components/payload.tsx'
import { Failure, Skeleton } from '../../components/states.tsx'
import { Time, TimeAgo } from '../../components/time.tsx'
import { Card } from '../../components/ui/card.tsx'
import { endUserPath } from '../../session/paths.ts'
import { Marks } from './columns.tsx'
import { Destinations } from './destinations.tsx'
import { eventQuery } from './queries.ts'

const route = getRouteApi('/business/events/$id')

export function EventPage() {
  const { id } = route.useParams()
  const { data: event, error, refetch } = useQuery(eventQuery(id))
  return (
    <Page
      title={event?.eventType ?? 'Event'}
      heading={event && <span className="break-all font-mono text-lg">{event.eventType}</span>}
      above={<Link to="/events">Events</Link>}
      intro={event && <Marks event={event} />}
    >
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {(event || !error) && (
        <>
          {event ? <EventDetails event={event} /> : <Skeleton lines={5} />}
          <Destinations eventId={id} />
          <Card title="Payload">{event ? <Payload value={event.payload} /> : <Skeleton lines={10} />}</Card>
        </>
      )}
    </Page>
  )
}

function EventDetails({ event }: { event: Event }) {
  const { id, createdAt, externalUserId, providerEventId, position } = event
  return (
    <DetailsCard
      what={{ Position: position.toLocaleString('en') }}
      who={{
        'End-user': externalUserId && (
          <Link to={endUserPath(externalUserId)} className="text-accent underline">
            {externalUserId}
          </Link>
        ),
      }}
      when={{
        Received: (
          <>
            <Time at={createdAt} />{' '}
            <span className="text-soft">
              (<TimeAgo at={createdAt} />)
            </span>
          </>
        ),
      }}
      ids={{ 'Event ID': id, 'Provider event ID': providerEventId }}
    />
  )
}
