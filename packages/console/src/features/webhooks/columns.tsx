// The columns of the lists of endpoints and of deliveries.

import type { ListedDelivery, WebhookEndpoint } from '@causeway/sdk'
import type { Column } from '../../components/data-table.tsx'
import { Clipped } from '../../components/texts/clipped.tsx'
import { UrlText } from '../../components/texts/url-text.tsx'
import { TimeAgo } from '../../components/time.tsx'
import { Badge } from '../../components/ui/badge.tsx'
import { deliveryStates } from '../../subjects/delivery.ts'
import { endpointState } from '../../subjects/endpoint.ts'
import type { EndpointRow } from './endpoints/rows.ts'
import { Sparkline } from './endpoints/sparkline.tsx'
import { deliveredOf, duration, outcomeWords, percent } from './words.ts'

const none = <span className="text-soft">–</span>

export function EndpointBadge({ endpoint }: { endpoint: Pick<WebhookEndpoint, 'status' | 'failingSince'> }) {
  const [tone, words] = endpointState(endpoint)
  return <Badge tone={tone}>{words}</Badge>
}

export const endpointColumns: readonly Column<EndpointRow>[] = [
  {
    id: 'url',
    header: 'Endpoint',
    cell: ({ webhookUrl, description, isDefault }) => (
      <span className="grid">
        {description ?? <UrlText url={webhookUrl} />}
        {(description !== null || isDefault) && (
          <span className="font-normal text-soft text-xs">
            {description === null ? 'Default endpoint' : <UrlText url={webhookUrl} />}
          </span>
        )}
      </span>
    ),
  },
  { id: 'status', header: 'Status', cell: (row) => <EndpointBadge endpoint={row} /> },
  {
    id: 'types',
    header: 'Events',
    wideOnly: true,
    cell: ({ eventTypes }) => (
      <span title={eventTypes.join(', ')} className="lg:whitespace-nowrap">
        {typesText(eventTypes)}
      </span>
    ),
  },
  {
    id: 'health',
    header: 'Last 24 hours',
    className: 'rows:w-40',
    cell: ({ spans }) => (spans === null ? none : <Sparkline spans={spans} />),
  },
  {
    id: 'rate',
    header: 'Success',
    align: 'right',
    cell: ({ stats }) =>
      stats === null || stats.successRate === null ? (
        none
      ) : (
        <span className="whitespace-nowrap tabular-nums">
          {percent(stats.successRate)} <span className="block text-soft text-xs">{deliveredOf(stats)}</span>
        </span>
      ),
  },
  {
    id: 'backlog',
    header: 'Backlog',
    align: 'right',
    cell: ({ stats }) => (stats === null ? none : <span className="tabular-nums">{countText(stats.backlog)}</span>),
  },
]

/** Deliveries that wait are counted up to 10,000. */
export function countText(backlog: number): string {
  return backlog >= 10_000 ? '10,000+' : backlog.toLocaleString('en')
}

/** “All”, or the first name and the number of others. */
export function typesText(eventTypes: readonly string[]): string {
  const [first = '', ...others] = eventTypes
  if (eventTypes.includes('*')) return 'All'
  return others.length === 0 ? first : `${first} + ${others.length}`
}

/** A time that is over says that its turn has come, not how long ago. */
export function NextAttempt({ at }: { at: string }) {
  return Date.parse(at) > Date.now() ? <TimeAgo at={at} /> : <span title={`${at} UTC`}>due</span>
}

export function DeliveryBadge({ delivery: { status } }: { delivery: Pick<ListedDelivery, 'status'> }) {
  const [tone, words] = deliveryStates[status]
  return <Badge tone={tone}>{words}</Badge>
}

/** @param urlOf the address of an endpoint; undefined leaves the column out, on the page of one endpoint */
export function deliveryColumns(urlOf?: (endpointId: string) => string): readonly Column<ListedDelivery>[] {
  const endpoint: Column<ListedDelivery> = {
    id: 'endpoint',
    header: 'Endpoint',
    cell: ({ webhookEndpointId }) => (
      <Clipped className="rows:max-w-56" text={urlOf?.(webhookEndpointId).replace(/^https?:\/\//, '') ?? ''} />
    ),
  }
  const next: Column<ListedDelivery> = {
    id: 'next',
    header: 'Next attempt',
    wideOnly: true,
    cell: ({ nextAttemptAt }) => (nextAttemptAt === null ? none : <NextAttempt at={nextAttemptAt} />),
  }
  return [
    {
      id: 'type',
      header: 'Event',
      cell: ({ eventType }) => <Clipped className="font-mono text-xs rows:max-w-60" text={eventType} />,
    },
    { id: 'status', header: 'Status', cell: (row) => <DeliveryBadge delivery={row} /> },
    {
      id: 'answer',
      header: 'Last response',
      cell: ({ lastAttempt }) =>
        lastAttempt === null ? (
          none
        ) : (
          <span className="whitespace-nowrap" title={lastAttempt.detail ?? undefined}>
            {outcomeWords(lastAttempt.outcome)}{' '}
            <span className="text-soft text-xs tabular-nums">{duration(lastAttempt.durationMs)}</span>
          </span>
        ),
    },
    {
      id: 'attempts',
      header: 'Attempts',
      align: 'right',
      wideOnly: true,
      cell: ({ attemptCount }) => <span className="tabular-nums">{attemptCount}</span>,
    },
    ...(urlOf ? [endpoint] : []),
    {
      id: 'end-user',
      header: 'End-user',
      cell: ({ externalUserId }) =>
        externalUserId === null ? none : <Clipped className="rows:max-w-36" text={externalUserId} />,
    },
    ...(urlOf ? [] : [next]),
    { id: 'created', header: 'Created', align: 'right', cell: ({ createdAt }) => <TimeAgo at={createdAt} /> },
  ]
}
