// The log of the messages to alert channels, with their outcome.

import type { AlertMessage, Query } from '@causeway/sdk'
import { useQuery } from '@tanstack/react-query'
import type { Column } from '../../components/data-table.tsx'
import { FilterBar, SelectFilter } from '../../components/filters.tsx'
import { RangeFilter } from '../../components/lists/filter-fields.tsx'
import { ListCard } from '../../components/lists/list-card.tsx'
import { Empty } from '../../components/states.tsx'
import { TimeAgo } from '../../components/time.tsx'
import { Badge } from '../../components/ui/badge.tsx'
import { narrowedBy, present } from '../../search.ts'
import type { Session } from '../../session/session.ts'
import { channelsQuery, messagesQuery } from './queries.ts'
import type { MessageSearch } from './search.ts'
import { messageStates } from './words.ts'

type Set<Search> = (next: Search | ((before: Search) => Search)) => void
type Props = { session: Session; search: MessageSearch; onSearch: Set<MessageSearch> }

export function MessagesView({ session: { role }, search, onSearch }: Props) {
  const { from, to, ...rest } = search
  const query = present({ ...rest, createdAfter: from, createdBefore: to })
  const messages = useQuery(messagesQuery(role, query as Query<'listAlertMessages'>))
  const { data: channels = [] } = useQuery(channelsQuery(role))
  const { cursor, ...filters } = search
  const isFiltered = Object.keys(present(filters)).length > 0
  const set = (change: { [Name in keyof MessageSearch]: MessageSearch[Name] }) => onSearch(narrowedBy(change))
  const named = channels.map(({ id, name }): [string, string] => [id, name])
  const { channelId } = search
  if (channelId !== undefined && !named.some(([id]) => id === channelId)) named.unshift([channelId, 'Deleted channel'])
  return (
    <ListCard
      query={messages}
      cursor={cursor}
      onPage={(next) => onSearch(present({ ...search, cursor: next }))}
      filters={
        <FilterBar onClear={isFiltered ? () => onSearch({}) : undefined}>
          <SelectFilter
            label="State"
            all="All states"
            value={search.state}
            options={Object.entries(messageStates).map(([state, [, words]]) => [state, words] as const)}
            onSelect={(state) => set({ state: state as MessageSearch['state'] })}
          />
          <SelectFilter
            label="Channel"
            all="All channels"
            value={channelId}
            options={named}
            onSelect={(id) => set({ channelId: id })}
          />
          <RangeFilter from={from} to={to} onChange={set} />
        </FilterBar>
      }
      caption="Messages, newest first"
      columns={messageColumns((id) => channels.find((channel) => channel.id === id)?.name)}
      idOf={({ id }) => id}
      empty={
        isFiltered ? (
          <Empty title="No matching messages">Choose another channel, state or time, or clear the filters.</Empty>
        ) : (
          <Empty title="No messages yet">A channel gets its first message with the next alert, or with a test.</Empty>
        )
      }
    />
  )
}

const messageColumns = (nameOf: (id: string) => string | undefined): readonly Column<AlertMessage>[] => [
  {
    id: 'subject',
    header: 'Message',
    cell: ({ id, subject }) => (
      <span className="wrap-anywhere line-clamp-2 font-medium" title={id}>
        {subject.replace(/^\[Causeway\] /, '')}
      </span>
    ),
  },
  {
    id: 'channel',
    header: 'Channel',
    cell: ({ channelId }) => (
      <span className="wrap-anywhere" title={channelId}>
        {nameOf(channelId) ?? 'Deleted channel'}
      </span>
    ),
  },
  {
    id: 'state',
    header: 'State',
    cell: ({ state }) => {
      const [tone, words] = messageStates[state]
      return <Badge tone={tone}>{words}</Badge>
    },
  },
  {
    id: 'outcome',
    header: 'Outcome',
    cell: ({ lastOutcome, attempts }) => (
      <span className="grid gap-0.5">
        <span className="wrap-anywhere line-clamp-2" title={lastOutcome ?? undefined}>
          {lastOutcome ?? '–'}
        </span>
        {attempts > 1 && <span className="text-soft text-xs">{attempts} attempts</span>}
      </span>
    ),
  },
  {
    id: 'next',
    header: 'Next attempt',
    wideOnly: true,
    cell: ({ nextAttemptAt }) =>
      nextAttemptAt === null ? <span className="text-soft">–</span> : <TimeAgo at={nextAttemptAt} />,
  },
  { id: 'created', header: 'Created', align: 'right', cell: ({ createdAt }) => <TimeAgo at={createdAt} /> },
]
