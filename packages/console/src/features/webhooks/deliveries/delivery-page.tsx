// One delivery: its state with the reason, and every attempt.

import type { DeliveryWithAttempts } from '@causeway/sdk'
import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Send } from 'lucide-react'
import { Copyable } from '../../../components/copy-button.tsx'
import { DetailsCard } from '../../../components/details.tsx'
import { Page } from '../../../components/page.tsx'
import { Payload } from '../../../components/payload.tsx'
import { Empty, Failure, Skeleton } from '../../../components/states.tsx'
import { Sentence } from '../../../components/texts/sentence.tsx'
import { UrlText } from '../../../components/texts/url-text.tsx'
import { spanText, Time } from '../../../components/time.tsx'
import { type Happening, Timeline } from '../../../components/timeline.tsx'
import { toast } from '../../../components/toasts.tsx'
import { Button } from '../../../components/ui/button.tsx'
import { Card } from '../../../components/ui/card.tsx'
import { may } from '../../../session/session.ts'
import { DeliveryBadge, NextAttempt } from '../columns.tsx'
import { isSuccess, outcomeWords } from '../words.ts'
import { AttemptItem } from './attempt-item.tsx'
import { deliveryQuery, eventOfQuery, reasonQuery, retryDelivery } from './delivery-queries.ts'

const route = getRouteApi('/business/webhooks/deliveries/$id')
const business = getRouteApi('/business')

export function DeliveryPage() {
  const { id } = route.useParams()
  const { session } = business.useRouteContext()
  const { data: delivery, error, refetch } = useQuery(deliveryQuery(id))
  const { data: event } = useQuery(eventOfQuery(delivery?.eventId))
  const retry = useMutation({
    mutationFn: () => retryDelivery(id),
    onSuccess: () => toast.success('Delivery queued for resending.'),
  })
  return (
    <Page
      title={event ? `Delivery of ${event.eventType}` : 'Delivery'}
      heading={
        event && (
          <>
            Delivery of <span className="break-all font-mono text-lg">{event.eventType}</span>
          </>
        )
      }
      above={<Link to="/webhooks/deliveries">Deliveries</Link>}
      intro={delivery && <DeliveryBadge delivery={delivery} />}
      actions={
        delivery &&
        may(session, 'events:write') && (
          <Button variant="primary" disabled={retry.isPending} onClick={() => retry.mutate()}>
            <Send /> Resend
          </Button>
        )
      }
    >
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {retry.error && <Failure error={retry.error} />}
      {!delivery && !error && <Skeleton lines={8} />}
      {delivery && (
        <>
          <DeliveryDetails delivery={delivery} />
          <Card title="Activity">
            <Timeline happenings={happeningsOf(delivery)} />
          </Card>
          <Attempts delivery={delivery} />
        </>
      )}
      {event && (
        <Card title="Request body">
          <Payload value={event.payload} name="the body" />
        </Card>
      )}
    </Page>
  )
}

function DeliveryDetails({ delivery }: { delivery: DeliveryWithAttempts }) {
  const { id, eventId, webhookEndpointId, sequence, nextAttemptAt, createdAt, finishedAt } = delivery
  const { data: reason } = useQuery(reasonQuery(eventId, id))
  const url = reason?.webhookUrl
  return (
    <DetailsCard
      status={{
        Status: <DeliveryBadge delivery={delivery} />,
        Reason: reason && <Sentence text={reason.message} />,
        'Next attempt': nextAttemptAt && (
          <>
            <NextAttempt at={nextAttemptAt} />{' '}
            <span className="text-soft">
              (<Time at={nextAttemptAt} />)
            </span>
          </>
        ),
      }}
      what={{ 'Sequence number': <span className="tabular-nums">{sequence.toLocaleString('en')}</span> }}
      who={{
        Endpoint:
          reason !== undefined && !url ? (
            <Copyable text={webhookEndpointId} name="the endpoint ID" />
          ) : (
            <Link to="/webhooks/$id" params={{ id: webhookEndpointId }} className="break-all text-accent underline">
              {url ? <UrlText url={url} /> : webhookEndpointId}
            </Link>
          ),
        Event: (
          <Link to="/events/$id" params={{ id: eventId }} className="break-all font-mono text-accent text-xs underline">
            {eventId}
          </Link>
        ),
      }}
      when={{ Created: <Time at={createdAt} />, Finished: finishedAt && <Time at={finishedAt} /> }}
      ids={{ 'Delivery ID': id }}
    />
  )
}

/** Newest first: what was sent when, and how long each wait and each response took. */
function happeningsOf({ id, createdAt, attempts, nextAttemptAt }: DeliveryWithAttempts): readonly Happening[] {
  const steps: Happening[] = [{ id, at: createdAt, words: 'Event received', tone: 'idle' }]
  let endMs = Date.parse(createdAt)
  for (const { attempt, outcome, durationMs, startedAt } of attempts) {
    const startMs = Date.parse(startedAt)
    steps.push({
      id: String(attempt),
      at: startedAt,
      tone: isSuccess(outcome) ? 'good' : 'bad',
      words: `Attempt ${attempt}: ${outcomeWords(outcome)} in ${spanText(durationMs)}`,
      afterMs: startMs - endMs,
    })
    endMs = startMs + durationMs
  }
  if (nextAttemptAt !== null)
    steps.push({
      id: 'next',
      at: nextAttemptAt,
      tone: 'busy',
      words: 'Next attempt',
      afterMs: Date.parse(nextAttemptAt) - endMs,
    })
  return steps.toReversed()
}

function Attempts({ delivery: { attempts } }: { delivery: DeliveryWithAttempts }) {
  return (
    <Card title={attempts.length === 1 ? '1 attempt' : `${attempts.length} attempts`} flush>
      {attempts.length === 0 ? (
        <Empty title="Not attempted yet">The first attempt appears here automatically.</Empty>
      ) : (
        <ol>
          {attempts.toReversed().map((attempt, at) => (
            <AttemptItem key={attempt.attempt} attempt={attempt} isNewest={at === 0} />
          ))}
        </ol>
      )}
    </Card>
  )
}
