// The alert channels of a business or of the operator.

import type { AlertChannel } from '@causeway/sdk'
import { useQuery } from '@tanstack/react-query'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Empty, Failure } from '../../components/states.tsx'
import { Badge } from '../../components/ui/badge.tsx'
import { Card } from '../../components/ui/card.tsx'
import { PlaceLink } from '../../components/ui/place-link.tsx'
import { may, mayOperate, type Session } from '../../session/session.ts'
import { ChannelActions } from './channel-actions.tsx'
import { channelsQuery } from './queries.ts'
import { channelStates, kindWords, typeWords } from './words.ts'

/** Whether the session may create and change channels. */
export const mayChangeAlerts = (session: Session): boolean =>
  session.role === 'operator' ? mayOperate(session) : may(session, 'webhooks:write')

export function ChannelsView({ session }: { session: Session }) {
  const { data: channels, error, refetch } = useQuery(channelsQuery(session.role))
  return (
    <Card flush>
      {error !== null && channels === undefined ? (
        <Failure className="m-4" error={error} onRetry={() => void refetch()} />
      ) : (
        <DataTable
          caption="Alert channels, newest first"
          columns={channelColumns(session)}
          rows={channels}
          idOf={({ id }) => id}
          empty={
            <Empty title="No channels yet">
              {mayChangeAlerts(session)
                ? 'Create a channel to get alerts by email, in Slack or as a signed webhook.'
                : 'Nobody gets alerts. To create a channel, sign in with webhooks:write, or as an administrator.'}
            </Empty>
          }
        />
      )}
    </Card>
  )
}

const channelColumns = (session: Session): readonly Column<AlertChannel>[] => [
  {
    id: 'name',
    header: 'Channel',
    cell: ({ id, name, type }) => (
      <span className="grid gap-0.5">
        <span className="wrap-anywhere font-medium" title={id}>
          {name}
        </span>
        {name !== typeWords[type] && <span className="text-soft text-xs">{typeWords[type]}</span>}
      </span>
    ),
  },
  {
    id: 'status',
    header: 'Status',
    cell: ({ status }) => {
      const [tone, words] = channelStates[status]
      return <Badge tone={tone}>{words}</Badge>
    },
  },
  {
    id: 'target',
    header: 'Sends to',
    cell: ({ emails, urlOrigin }) => (
      <span className="wrap-anywhere line-clamp-2 max-w-72" title={emails.join(', ')}>
        {urlOrigin ?? emails.join(', ')}
      </span>
    ),
  },
  {
    id: 'kinds',
    header: 'Alerts',
    wideOnly: true,
    cell: ({ kinds }) => (
      <span title={kinds.map(kindWords).join(', ')}>{kinds.includes('*') ? 'All' : `${kinds.length} kinds`}</span>
    ),
  },
  {
    id: 'messages',
    header: 'Messages',
    cell: ({ id, name }) => (
      <PlaceLink
        to={session.role === 'operator' ? '/operator/alerts/messages' : '/alerts/messages'}
        search={{ channelId: id }}
        className="text-accent hover:underline"
      >
        View<span className="sr-only"> messages of {name}</span>
      </PlaceLink>
    ),
  },
  {
    id: 'actions',
    header: 'Actions',
    align: 'right',
    className: 'rows:w-px rows:whitespace-nowrap',
    cell: (channel) =>
      mayChangeAlerts(session) ? (
        <ChannelActions channel={channel} role={session.role} />
      ) : (
        <span className="text-soft">–</span>
      ),
  },
]
