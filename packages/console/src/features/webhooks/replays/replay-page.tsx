// How far a replay has come.

import type { Replay } from '@causeway/sdk'
import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Copyable } from '../../../components/copy-button.tsx'
import { Facts, Page } from '../../../components/page.tsx'
import { Failure, Skeleton } from '../../../components/states.tsx'
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
            Cancel the replay
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
          <Card title="What is sent">
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
          aria-label="Looked through"
          aria-valuenow={percent}
          aria-valuemin={0}
          aria-valuemax={100}
          className="h-2.5 overflow-hidden rounded-full bg-sunken"
        >
          <div className="h-full rounded-full bg-accent transition-[width]" style={{ width: `${percent}%` }} />
        </div>
        <p className="flex justify-between text-soft text-xs">
          <span>{percent} % looked through</span>
          {endedAt === null ? (
            <span>
              last progress <TimeAgo at={updatedAt} />
            </span>
          ) : (
            <span>
              ended <TimeAgo at={endedAt} />
            </span>
          )}
        </p>
      </div>
      <dl className="grid grid-cols-3 gap-4">
        {(
          [
            ['Found', matchedCount],
            ['Sent again', queuedCount],
            ['Left out', skippedCount],
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
  running: 'The replay continues if you leave this page. Deliveries that are already under way are left out.',
  done: 'Everything is queued; what is queued may still be on its way.',
  cancelled: 'Nothing more is queued. What was queued before goes out.',
  failed: 'It did not come to its end. Begin another one for the rest.',
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
            {endpoint?.webhookUrl ?? webhookEndpointId}
          </Link>,
        ],
        [
          'Time',
          <span key="time">
            <Time at={from} /> – <Time at={to} />
          </span>,
        ],
        ['Which', selectionWords[status]],
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
            Show those of this time
          </Link>,
        ],
        ['Replay', <Copyable key="id" text={id} name="the replay's id" />],
      ]}
    />
  )
}
