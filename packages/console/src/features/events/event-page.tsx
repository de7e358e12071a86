// One event: its payload, where it went, and why not.

import type { Event } from '@causeway/sdk'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Copyable } from '../../components/copy-button.tsx'
import { Facts, Page } from '../../components/page.tsx'
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
          <Card>{event ? <EventFacts event={event} /> : <Skeleton lines={5} />}</Card>
          <Destinations eventId={id} />
          <Card title="Payload">{event ? <Payload value={event.payload} /> : <Skeleton lines={10} />}</Card>
        </>
      )}
    </Page>
  )
}

function EventFacts({ event }: { event: Event }) {
  const { id, createdAt, externalUserId, providerEventId, position } = event
  return (
    <Facts
      facts={[
        ['Event', <Copyable key="id" text={id} name="the event ID" />],
        [
          'Received',
          <span key="at">
            <Time at={createdAt} />{' '}
            <span className="text-soft">
              (<TimeAgo at={createdAt} />)
            </span>
          </span>,
        ],
        [
          'End-user',
          externalUserId === null ? null : (
            <Link key="user" to={endUserPath(externalUserId)} className="text-accent underline">
              {externalUserId}
            </Link>
          ),
        ],
        [
          'Provider event ID',
          providerEventId && <Copyable key="p" text={providerEventId} name="the provider event ID" />,
        ],
        ['Position', position.toLocaleString('en')],
      ]}
    />
  )
}
