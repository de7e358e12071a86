// Where an event went, endpoint by endpoint, and why not; and how it is sent again to one of them.

import type { EndpointExplanation } from '@causeway/sdk'
import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Send } from 'lucide-react'
import { Empty, Failure, Skeleton } from '../../components/states.tsx'
import { Sentence } from '../../components/texts/sentence.tsx'
import { UrlText } from '../../components/texts/url-text.tsx'
import { TimeAgo } from '../../components/time.tsx'
import { toast } from '../../components/toasts.tsx'
import { Badge } from '../../components/ui/badge.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Card } from '../../components/ui/card.tsx'
import { may } from '../../session/session.ts'
import { explanationQuery, sendAgain } from './queries.ts'
import { isSendable, outcomeWords, verdictWords } from './words.ts'

const business = getRouteApi('/business')

export function Destinations({ eventId }: { eventId: string }) {
  const { data: explanation, error, refetch } = useQuery(explanationQuery(eventId))
  const [tone, words] = verdictWords[explanation?.verdict ?? 'under_way']
  return (
    <Card title="Deliveries" actions={explanation && <Badge tone={tone}>{words}</Badge>} flush>
      {error && <Failure className="m-4" error={error} onRetry={() => void refetch()} />}
      {!explanation && !error && <Skeleton className="p-4" lines={3} />}
      {explanation?.endpoints.length === 0 && (
        <Empty title="No webhook endpoints yet" action={<NewEndpoint />}>
          Events are stored. You can resend them to an endpoint that you create later.
        </Empty>
      )}
      <ul>
        {explanation?.endpoints.map((endpoint) => (
          <Destination key={endpoint.webhookEndpointId} eventId={eventId} endpoint={endpoint} />
        ))}
      </ul>
    </Card>
  )
}

function NewEndpoint() {
  return (
    <Link to="/webhooks" className="text-accent underline">
      Create endpoint
    </Link>
  )
}

type Props = { eventId: string; endpoint: EndpointExplanation }

function Destination({ eventId, endpoint }: Props) {
  const { session } = business.useRouteContext()
  const { webhookEndpointId, webhookUrl, code, message, deliveryId, attemptCount, nextAttemptAt } = endpoint
  const [tone, words] = outcomeWords[code]
  return (
    <li className="grid gap-x-6 gap-y-2 border-line border-b px-4 py-3 last:border-0 sm:grid-cols-[1fr_auto]">
      <div className="grid min-w-0 gap-1">
        <div className="flex min-w-0 flex-wrap items-center gap-x-2.5 gap-y-1">
          <span className="min-w-0 font-medium">
            {webhookUrl === null ? webhookEndpointId : <UrlText url={webhookUrl} />}
          </span>
          <Badge tone={tone}>{words}</Badge>
        </div>
        <p className="text-soft">
          <Sentence text={message} />
        </p>
        {deliveryId !== null && (
          <p className="flex flex-wrap gap-x-4 text-xs">
            <Link to="/webhooks/deliveries/$id" params={{ id: deliveryId }} className="text-accent underline">
              {attemptsWords(attemptCount ?? 0)}
            </Link>
            {nextAttemptAt !== null && Date.parse(nextAttemptAt) > Date.now() && (
              <span className="text-soft">
                Next attempt <TimeAgo at={nextAttemptAt} />
              </span>
            )}
          </p>
        )}
      </div>
      {may(session, 'events:write') && isSendable(code) && (
        <SendAgain eventId={eventId} endpointId={webhookEndpointId} />
      )}
    </li>
  )
}

function attemptsWords(count: number): string {
  if (count === 0) return 'Not attempted yet'
  return count === 1 ? '1 attempt' : `${count} attempts`
}

function SendAgain({ eventId, endpointId }: { eventId: string; endpointId: string }) {
  const send = useMutation({
    mutationFn: () => sendAgain(eventId, endpointId),
    onSuccess: () => toast.success('Event queued for resending.'),
  })
  return (
    <div className="grid content-start justify-items-start gap-2 sm:justify-items-end">
      <Button size="sm" disabled={send.isPending} onClick={() => send.mutate()}>
        <Send /> Resend
      </Button>
      {send.error && <Failure error={send.error} />}
    </div>
  )
}
