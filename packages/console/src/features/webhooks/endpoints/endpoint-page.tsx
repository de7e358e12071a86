// One endpoint: its health, its settings, what was sent to it.

import type { WebhookEndpoint } from '@causeway/sdk'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { DetailsCard } from '../../../components/details.tsx'
import { Page } from '../../../components/page.tsx'
import { Failure, Skeleton } from '../../../components/states.tsx'
import { UrlText } from '../../../components/texts/url-text.tsx'
import { Time, TimeAgo } from '../../../components/time.tsx'
import { Card } from '../../../components/ui/card.tsx'
import { narrowedBy, present } from '../../../search.ts'
import { sourceWords } from '../../../session/event-types.ts'
import { may } from '../../../session/session.ts'
import { EndpointBadge } from '../columns.tsx'
import { DeliveryList } from '../deliveries/delivery-list.tsx'
import { ResendUndelivered } from '../deliveries/resend-undelivered.tsx'
import { endpointQuery } from '../queries.ts'
import { ReplaysCard } from '../replays/replays-card.tsx'
import { EndpointActions } from './endpoint-actions.tsx'
import { HealthCard } from './health-card.tsx'

const route = getRouteApi('/business/webhooks/$id')
const business = getRouteApi('/business')

export function EndpointPage() {
  const { id } = route.useParams()
  const { session } = business.useRouteContext()
  const { range = '24h', ...search } = present(route.useSearch())
  const navigate = route.useNavigate()
  const { data: endpoint, error, refetch } = useQuery(endpointQuery(id))
  const mayRead = may(session, 'events:read')
  const mayResend = may(session, 'events:write')
  return (
    <Page
      title={endpoint ? (endpoint.description ?? endpoint.webhookUrl) : 'Endpoint'}
      heading={endpoint && (endpoint.description ?? <UrlText url={endpoint.webhookUrl} />)}
      above={<Link to="/webhooks">Webhooks</Link>}
      intro={endpoint && <Intro endpoint={endpoint} />}
      actions={endpoint && may(session, 'webhooks:write') && <EndpointActions endpoint={endpoint} />}
    >
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {(endpoint || !error) && (
        <>
          {endpoint && <Trouble endpoint={endpoint} />}
          {mayRead && (
            <HealthCard
              endpointId={id}
              range={range}
              onRange={(next) =>
                void navigate({ search: (before) => ({ ...before, range: next }), resetScroll: false })
              }
            />
          )}
          {mayRead && (
            <Card
              title="Deliveries"
              actions={mayResend && <ResendUndelivered search={{ webhookEndpointId: id }} />}
              flush
            >
              <DeliveryList
                search={{ ...search, webhookEndpointId: id }}
                onSearch={({ webhookEndpointId: _id, ...change }) =>
                  void navigate({ search: narrowedBy(change), resetScroll: false })
                }
                mayResend={mayResend}
              />
            </Card>
          )}
          {endpoint ? <EndpointDetails endpoint={endpoint} /> : <Skeleton lines={5} />}
          <ReplaysCard endpointId={id} />
        </>
      )}
    </Page>
  )
}

function Intro({ endpoint }: { endpoint: WebhookEndpoint }) {
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2.5 gap-y-1">
      <EndpointBadge endpoint={endpoint} />
      {endpoint.description !== null && <UrlText url={endpoint.webhookUrl} />}
    </span>
  )
}

/** The reason why the endpoint gets no events, and the remedy. */
function Trouble({ endpoint: { status, failingSince, disabledReason } }: { endpoint: WebhookEndpoint }) {
  if (status === 'disabled')
    return (
      <Note tone="bad">
        Disabled: {disabledReason ?? 'unknown reason.'} Events are queued until you enable the endpoint.
      </Note>
    )
  if (status === 'paused')
    return <Note tone="off">Paused: events are queued and sent when you enable the endpoint.</Note>
  if (failingSince === null) return null
  return (
    <Note tone="bad">
      Every attempt has failed since <Time at={failingSince} /> (<TimeAgo at={failingSince} />
      ). Check the last responses below. After 5 days the endpoint is disabled.
    </Note>
  )
}

const tones = { bad: 'border-bad/40 bg-bad-soft', off: 'border-line bg-sunken' } as const

function Note({ tone, children }: { tone: keyof typeof tones; children: ReactNode }) {
  return <p className={`rounded-lg border p-4 ${tones[tone]}`}>{children}</p>
}

function EndpointDetails({ endpoint }: { endpoint: WebhookEndpoint }) {
  const { id, eventTypes, sources, ordering, sequence, previousSecretExpiresAt, createdAt } = endpoint
  return (
    <DetailsCard
      status={{
        Status: <EndpointBadge endpoint={endpoint} />,
        'Old secret': previousSecretExpiresAt && (
          <>
            valid until <Time at={previousSecretExpiresAt} />
          </>
        ),
      }}
      what={{
        Events: eventTypes.includes('*') ? (
          'All, including new types'
        ) : (
          <span className="flex flex-wrap gap-1.5">
            {eventTypes.map((name) => (
              <code key={name} className="break-all rounded bg-sunken px-1.5 py-0.5 font-mono text-xs">
                {name}
              </code>
            ))}
          </span>
        ),
        Sources: sources.map((source) => sourceWords[source]).join(', '),
        Order:
          ordering === 'per_end_user'
            ? 'Strict order per end-user'
            : 'Best effort: a failed event does not block others',
        'Last sequence number': <span className="tabular-nums">{sequence.toLocaleString('en')}</span>,
      }}
      when={{ Created: <Time at={createdAt} /> }}
      ids={{ 'Endpoint ID': id }}
    />
  )
}
