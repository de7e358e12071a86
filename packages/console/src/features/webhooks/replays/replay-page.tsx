// How far a replay has come.

import type { Replay } from '@causeway/sdk'
import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Copyable } from '../../../components/copy-button.tsx'
import { Facts, Page } from '../../../components/page.tsx'
import { Failure, Skeleton } from '../../../components/states.tsx'
import { UrlText } from '../../../components/texts/url-text.tsx'
import { Time, TimeAgo } from '../../../components/time.tsx'
import { Badge } from '../../../components/ui/badge.tsx'
import { Button } from '../../../components/ui/button.tsx'
import { Card } from '../../../components/ui/card.tsx'
import { may } from '../../../session/session.ts'
import { cancelReplay, endpointQuery, replayQuery } from '../queries.ts'
import { replayStates, selectionWords } from '../words.ts'

const route = getRouteApi('/business/webhooks/replays/$id')
const business = getRouteApi('/business')

export function ReplayPage() {
  const { id } = route.useParams()
  const { session } = business.useRouteContext()
  const { data: replay, error, refetch } = useQuery(replayQuery(id))
  const cancel = useMutation({ mutationFn: () => cancelReplay(id) })
  const [tone, words] = replayStates[replay?.state ?? 'running']
  return (
    <Page
      title="Replay"
      above={<Link to="/webhooks">Webhooks</Link>}
      intro={replay && <Badge tone={tone}>{words}</Badge>}
      actions={
        replay?.state === 'running' &&
        may(session, 'webhooks:write') && (
          <Button variant="danger" disabled={cancel.isPending} onClick={() => cancel.mutate()}>
            Cancel replay
          </Button>
        )
      }
    >
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {cancel.error && <Failure error={cancel.error} />}
      {!replay && !error && <Skeleton lines={6} />}
      {replay && (
        <>
          <Card title="Progress">
            <Progress replay={replay} />
          </Card>
          <Card title="Events to replay">
            <Range replay={replay} />
          </Card>
        </>
      )}
    </Page>
  )
}

function Progress({ replay }: { replay: Replay }) {
  const { percent, matchedCount, queuedCount, skippedCount, state, error, endedAt, updatedAt } = replay
  return (
    <div className="grid gap-4">
      <div className="grid gap-1.5">
        <div
          role="progressbar"
          aria-label="Events scanned"
          aria-valuenow={percent}
          aria-valuemin={0}
          aria-valuemax={100}
          className="h-2.5 overflow-hidden rounded-full bg-sunken"
        >
          <div className="h-full rounded-full bg-accent transition-[width]" style={{ width: `${percent}%` }} />
        </div>
        <p className="flex justify-between text-soft text-xs">
          <span>{percent}% scanned</span>
          {endedAt === null ? (
            <span>
              Last progress <TimeAgo at={updatedAt} />
            </span>
          ) : (
            <span>
              {' '}
              Ended <TimeAgo at={endedAt} />
            </span>
          )}
        </p>
      </div>
      <dl className="grid grid-cols-3 gap-4">
        {(
          [
            ['Matched', matchedCount],
            ['Resent', queuedCount],
            ['Skipped', skippedCount],
          ] as const
        ).map(([name, count]) => (
          <div key={name}>
            <dt className="text-soft text-xs">{name}</dt>
            <dd className="font-semibold text-lg tabular-nums">{count.toLocaleString('en')}</dd>
          </div>
        ))}
      </dl>
      {error !== null && <p className="text-bad">{error}</p>}
      <p className="text-soft">{explanations[state]}</p>
    </div>
  )
}

const explanations: Readonly<Record<Replay['state'], string>> = {
  running: 'The replay continues if you leave this page. Events with a pending delivery are skipped.',
  done: 'All events are queued. Some may still be in delivery.',
  cancelled: 'No more events are queued. Events that are already queued are still sent.',
  failed: 'The replay stopped early. Start a new replay for the remaining events.',
}

function Range({ replay }: { replay: Replay }) {
  const { id, webhookEndpointId, from, to, status, eventTypes, externalUserId } = replay
  const { data: endpoint } = useQuery(endpointQuery(webhookEndpointId))
  return (
    <Facts
      facts={[
        [
          'Endpoint',
          <Link
            key="endpoint"
            to="/webhooks/$id"
            params={{ id: webhookEndpointId }}
            className="break-all text-accent underline"
          >
            {endpoint ? (endpoint.description ?? <UrlText url={endpoint.webhookUrl} />) : webhookEndpointId}
          </Link>,
        ],
        [
          'Time',
          <span key="time">
            <Time at={from} /> – <Time at={to} />
          </span>,
        ],
        ['Events', selectionWords[status]],
        ['Event types', eventTypes.includes('*') ? 'All' : eventTypes.join(', ')],
        ['End-user', externalUserId],
        [
          'Deliveries',
          <Link
            key="deliveries"
            to="/webhooks/deliveries"
            search={{ webhookEndpointId, from, to }}
            className="text-accent underline"
          >
            View deliveries in this period
          </Link>,
        ],
        ['Replay', <Copyable key="id" text={id} name="the replay ID" />],
      ]}
    />
  )
}
