// One held event: why it is held, and a try by hand.

import type { HeldEvent } from '@causeway/sdk'
import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { RotateCw } from 'lucide-react'
import { Copyable } from '../../../components/copy-button.tsx'
import { Facts, Page } from '../../../components/page.tsx'
import { Empty, Failure, Skeleton } from '../../../components/states.tsx'
import { TimeAgo } from '../../../components/time.tsx'
import { toast } from '../../../components/toasts.tsx'
import { Badge } from '../../../components/ui/badge.tsx'
import { Button } from '../../../components/ui/button.tsx'
import { Card } from '../../../components/ui/card.tsx'
import { mayOperate } from '../../../session/session.ts'
import { heldEventQuery, retryHeldEvent } from '../queries.ts'
import { HeldBadge } from '../words.tsx'

const route = getRouteApi('/operator/events/$id')
const operator = getRouteApi('/operator')

export function HeldEventPage() {
  const { id } = route.useParams()
  const mayWrite = mayOperate(operator.useRouteContext().session)
  const { data: event, error, refetch } = useQuery(heldEventQuery(id))
  const retry = useMutation({
    mutationFn: () => retryHeldEvent(id),
    onSuccess: () => toast.success('Event queued for a retry.'),
  })
  const above = (
    <Link to="/operator/events" className="hover:underline">
      Held events
    </Link>
  )
  return (
    <Page
      title={event?.type ?? 'Held event'}
      {...(event && {
        heading: (
          <span className="flex flex-wrap items-center gap-3">
            {event.type} <HeldBadge state={event.state} />
          </span>
        ),
      })}
      above={above}
      actions={
        event &&
        mayWrite && (
          <Button variant="primary" disabled={retry.isPending} onClick={() => retry.mutate()}>
            <RotateCw /> Retry now
          </Button>
        )
      }
    >
      {error !== null && event === undefined && <Failure error={error} onRetry={() => void refetch()} />}
      {retry.error !== null && <Failure error={retry.error} />}
      {event === undefined && error === null && <Skeleton lines={6} />}
      {event === null && (
        <Card>
          <Empty title="This event is no longer held">
            The event was applied, or it expired. Its business sees it in its events.
          </Empty>
        </Card>
      )}
      {event && <Shown event={event} />}
    </Page>
  )
}

function Shown({ event }: { event: HeldEvent }) {
  const { id, reason, attempts, nextTryAt, trust, providerEventId, providerRefs, customerId, externalUserId } = event
  return (
    <Card title="Details">
      <Facts
        facts={[
          ['Reason', reason],
          ['Failed attempts', String(attempts)],
          ['Next retry', nextTryAt === null ? 'not scheduled' : <TimeAgo key="next" at={nextTryAt} />],
          ['Received', <TimeAgo key="received" at={event.createdAt} />],
          [
            'Signature',
            <Badge key="trust" tone={trust === 'verified' ? 'good' : 'warn'}>
              {trust === 'verified' ? 'Verified' : 'Not verified'}
            </Badge>,
          ],
          [
            'Business',
            customerId === null ? (
              'unknown'
            ) : (
              <Link
                key="business"
                to="/operator/businesses/$customerId"
                params={{ customerId }}
                className="text-accent underline"
              >
                {customerId}
              </Link>
            ),
          ],
          ['End-user', externalUserId],
          [
            'Provider IDs in the event',
            providerRefs.length === 0 ? (
              'none'
            ) : (
              <span key="refs" className="grid justify-items-start">
                {providerRefs.map((ref) => (
                  <Copyable key={ref} text={ref} name="the provider ID" />
                ))}
              </span>
            ),
          ],
          ['ID', <Copyable key="id" text={id} name="the ID" />],
          [
            'Provider event ID',
            providerEventId === null ? null : <Copyable key="provider" text={providerEventId} name="the provider ID" />,
          ],
        ]}
      />
      <p className="mt-4 text-soft text-xs">The body is not shown because it may contain personal data.</p>
    </Card>
  )
}
