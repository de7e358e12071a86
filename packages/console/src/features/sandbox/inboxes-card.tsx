// The webhook inboxes of endpoints: configured response, and received deliveries.

import type { SandboxInbox } from '@causeway/sdk'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Copyable } from '../../components/copy-button.tsx'
import { DataTable } from '../../components/data-table.tsx'
import { Empty, Failure, Skeleton } from '../../components/states.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Card } from '../../components/ui/card.tsx'
import { Select } from '../../components/ui/form.tsx'
import { messageColumns } from './columns.tsx'
import { endpointPlace } from './places.ts'
import { configureInbox, inboxesQuery } from './queries.ts'

type Props = { mayChange: boolean }

export function InboxesCard({ mayChange }: Props) {
  const inboxes = useQuery(inboxesQuery)
  if (inboxes.error !== null && inboxes.data === undefined)
    return (
      <Card title="Webhook inbox">
        <Failure error={inboxes.error} onRetry={() => void inboxes.refetch()} />
      </Card>
    )
  if (inboxes.data === undefined)
    return (
      <Card title="Webhook inbox">
        <Skeleton lines={6} />
      </Card>
    )
  if (inboxes.data.length === 0)
    return (
      <Card title="Webhook inbox">
        <Empty
          title="No endpoint sends to an inbox yet"
          action={
            <Link to="/webhooks" className="text-accent underline">
              View webhook endpoints
            </Link>
          }
        >
          Create an endpoint with the sandbox URL followed by <code className="font-mono text-xs">/inbox/</code> and a
          name. The events it receives appear here.
        </Empty>
      </Card>
    )
  return inboxes.data.map((inbox) => <InboxCard key={inbox.id} inbox={inbox} mayChange={mayChange} />)
}

const failNextCount = 3

const answers: readonly (readonly [
  value: string,
  words: string,
  settings: { respondWith: number; delayMs: number },
])[] = [
  ['ok', 'Returns 200: accepts every delivery', { respondWith: 200, delayMs: 0 }],
  ['error', 'Returns 500: Causeway retries', { respondWith: 500, delayMs: 0 }],
  ['gone', 'Returns 410: Causeway disables the endpoint', { respondWith: 410, delayMs: 0 }],
  ['slow', 'Responds after three seconds', { respondWith: 200, delayMs: 3_000 }],
  ['timeout', 'Times out', { respondWith: 200, delayMs: 30_000 }],
]

function InboxCard({ inbox, mayChange }: { inbox: SandboxInbox } & Props) {
  const { id, name, webhookUrl, settings, messages } = inbox
  const configure = useMutation({
    mutationFn: (change: Partial<SandboxInbox['settings']>) => configureInbox(id, { ...settings, ...change }),
  })
  const current = answers.find(
    ([, , { respondWith, delayMs }]) => respondWith === settings.respondWith && delayMs === settings.delayMs,
  )
  return (
    <Card
      flush
      title={`Webhook inbox “${name}”`}
      actions={
        mayChange && (
          <>
            <Select
              aria-label={`Response of the inbox ${name}`}
              className="h-8 w-auto min-w-0 max-w-full max-sm:w-full"
              value={current?.[0] ?? ''}
              disabled={configure.isPending}
              onChange={(event) => {
                const chosen = answers.find(([value]) => value === event.target.value)
                if (chosen) configure.mutate({ ...chosen[2], failNext: 0 })
              }}
            >
              {current === undefined && <option value="">{`Returns ${settings.respondWith}`}</option>}
              {answers.map(([value, words]) => (
                <option key={value} value={value}>
                  {words}
                </option>
              ))}
            </Select>
            <Button
              size="sm"
              disabled={configure.isPending}
              onClick={() => configure.mutate({ failNext: failNextCount })}
            >
              Fail the next {failNextCount}
            </Button>
          </>
        )
      }
    >
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 border-line border-b px-4 py-2 text-soft text-xs">
        <Copyable text={webhookUrl} name="the URL" />
        <Link to={endpointPlace(id)} className="text-accent underline">
          View endpoint
        </Link>
        {settings.failNext > 0 && (
          <span role="status" className="text-warn">
            The next {settings.failNext === 1 ? 'delivery gets' : `${settings.failNext} deliveries get`} status 500.
          </span>
        )}
      </div>
      {configure.error !== null && <Failure error={configure.error} className="m-4" />}
      <DataTable
        caption={`Requests to the inbox ${name}, newest first`}
        isCompact
        columns={messageColumns}
        rows={messages}
        idOf={({ deliveryId, receivedAt, attempt }) => `${deliveryId} ${attempt} ${receivedAt}`}
        empty={<Empty title="No requests yet">Create a test end-user or simulate a deposit to send events here.</Empty>}
      />
    </Card>
  )
}
