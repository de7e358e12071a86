// One request of the log: what came of it, why, and how to ask again.

import type { ApiRequest } from '@causeway/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Copyable, CopyButton } from '../../components/copy-button.tsx'
import { Facts, Page } from '../../components/page.tsx'
import { Empty, Failure, Skeleton } from '../../components/states.tsx'
import { Time, TimeAgo } from '../../components/time.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Card } from '../../components/ui/card.tsx'
import { PlaceLink } from '../../components/ui/place-link.tsx'
import { placeOf } from '../places.ts'
import { useActorNames } from './actors.ts'
import { requestsPath, useLogOwner } from './owner.ts'
import { requestQuery } from './queries.ts'
import { curlOf, DocsOfError, duration, pathOf, StatusBadge, withCode } from './request-words.tsx'

/** @param above the way up to the list */
export function RequestPage({ id, above }: { id: string; above: ReactNode }) {
  const { data: request, error, refetch } = useQuery(requestQuery(useLogOwner(), id))
  const title = request ? `${request.method} ${pathOf(request)}` : 'Request'
  return (
    <Page
      title={title}
      heading={request ? <span className="break-all font-mono text-lg">{title}</span> : 'Request'}
      above={above}
    >
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {request === undefined && !error && <Skeleton lines={6} />}
      {request === null && <Absent id={id} onRetry={() => void refetch()} />}
      {request && <Result request={request} />}
    </Page>
  )
}

type Props = { request: ApiRequest }

function Result({ request }: Props) {
  const nameOf = useActorNames()
  const owner = useLogOwner()
  const { requestId, createdAt, status, durationMs, credentialId, sessionId, idempotentReplay } = request
  const { objectId, externalUserId } = request
  return (
    <>
      <Card title="Result">
        <Facts
          facts={[
            ['Status', <StatusBadge key="status" status={status} />],
            [
              'Time',
              <span key="at">
                <Time at={createdAt} /> (<TimeAgo at={createdAt} />)
              </span>,
            ],
            ['Duration', duration(durationMs)],
            ['Object', objectId && <ObjectLink key="object" id={objectId} />],
            [
              'End-user',
              externalUserId && owner === null ? (
                <PlaceLink key="user" to={`/end-users/${encodeURIComponent(externalUserId)}`}>
                  {externalUserId}
                </PlaceLink>
              ) : (
                externalUserId
              ),
            ],
            ['Events', owner === null ? <EventsLink key="events" request={request} /> : null],
            ['Request ID', <Copyable key="id" text={requestId} name="the request ID" />],
            [
              'Key',
              <span key="key" className="flex flex-wrap items-center gap-x-2">
                <PlaceLink
                  to={requestsPath(owner)}
                  search={{ by: credentialId }}
                  className="text-accent hover:underline"
                >
                  {nameOf(credentialId)}
                </PlaceLink>
                <Copyable text={credentialId} name="the ID" className="text-soft" />
              </span>,
            ],
            [
              'Session',
              sessionId && (
                <PlaceLink
                  key="session"
                  to={requestsPath(owner)}
                  search={{ by: sessionId }}
                  className="break-all text-accent hover:underline"
                >
                  In the console: {sessionId}
                </PlaceLink>
              ),
            ],
            [
              'Replay',
              idempotentReplay
                ? 'Replayed: this is the stored response of an earlier request with the same Idempotency-Key.'
                : null,
            ],
          ]}
        />
      </Card>
      <Why request={request} />
      {/* The operator has no key of the business. */}
      {owner === null && <CurlCard request={request} />}
    </>
  )
}

function ObjectLink({ id }: { id: string }) {
  const owner = useLogOwner()
  const place = owner === null ? placeOf(id) : undefined
  if (place === undefined) return <Copyable text={id} name="the object's ID" />
  return (
    <PlaceLink to={place} className="break-all font-mono text-accent text-xs underline">
      {id}
    </PlaceLink>
  )
}

/** An event is stored with its change, within the request. The clocks of two servers may be a second apart. */
const clocksApartMs = 1_000

function EventsLink({ request: { method, status, createdAt, durationMs, objectId, externalUserId } }: Props) {
  if (method === 'GET' || status >= 400) return <span className="text-soft">None</span>
  const beganMs = Date.parse(createdAt)
  const about = objectId?.startsWith('va_') ? { virtualAccountId: objectId } : externalUserId && { externalUserId }
  return (
    <Link
      to="/events"
      search={{
        ...about,
        from: new Date(beganMs - clocksApartMs).toISOString(),
        to: new Date(beganMs + durationMs + clocksApartMs).toISOString(),
      }}
      className="text-accent underline"
    >
      Events of this time
    </Link>
  )
}

function Why({ request: { error, explanation } }: Props) {
  if (error === null) return null
  return (
    <Card title="Error">
      <div className="grid gap-2">
        <p className="font-medium">
          {withCode(explanation?.message ?? 'This version of Causeway does not know this error code.')}
        </p>
        {explanation && <p>{withCode(explanation.resolution)}</p>}
        <p className="flex flex-wrap items-center gap-x-3 text-soft">
          <Copyable text={error} name="the error code" />
          <DocsOfError code={error} />
        </p>
      </div>
    </Card>
  )
}

/** The log holds neither bodies nor, of a refused request, every value of its path. */
const hintsOf = (command: string): string[] => [
  ...(command.includes('<') ? ['Replace the values in angle brackets.'] : []),
  ...(command.includes('@body.json') ? ['The log stores no bodies: save yours as body.json.'] : []),
  'Set CAUSEWAY_API_KEY to your API key.',
]

function CurlCard({ request }: Props) {
  const command = curlOf(request, location.origin)
  return (
    <Card title="Repeat the request" actions={<CopyButton text={command} name="the command" label="Copy" />}>
      <div className="grid gap-2">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard */}
        <pre tabIndex={0} className="overflow-x-auto rounded-md bg-sunken p-3 font-mono text-xs leading-5">
          <code>{command}</code>
        </pre>
        <p className="text-soft text-xs">{hintsOf(command).join(' ')}</p>
      </div>
    </Card>
  )
}

function Absent({ id, onRetry }: { id: string; onRetry: () => void }) {
  return (
    <Card>
      <Empty title="Request not found in the log" action={<Button onClick={onRetry}>Try again</Button>}>
        <p>
          <code className="break-all font-mono text-xs">{id}</code> may be less than a second old, older than the
          retention period, or from another business. Requests without a valid key are not logged.
        </p>
      </Empty>
    </Card>
  )
}
