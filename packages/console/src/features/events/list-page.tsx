// All events, newest first, with filters. New events are announced above the list.

import type { Event } from '@causeway/sdk'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { FilterBar, SelectFilter } from '../../components/filters.tsx'
import { RangeFilter, TextFilter } from '../../components/lists/filter-fields.tsx'
import { ListCard } from '../../components/lists/list-card.tsx'
import { NewsBar } from '../../components/lists/news-bar.tsx'
import { Page } from '../../components/page.tsx'
import { Empty } from '../../components/states.tsx'
import { narrowedBy, present } from '../../search.ts'
import { queryClient } from '../../session/client.ts'
import { eventTypeOptions, sourceWords } from '../../session/event-types.ts'
import { useNews } from '../../session/news.ts'
import { may } from '../../session/session.ts'
import { eventColumns } from './columns.tsx'
import { accountNamesQuery, type EventSearch, eventsQuery } from './queries.ts'

const route = getRouteApi('/business/events')
const business = getRouteApi('/business')

const sources = Object.entries(sourceWords)

export function EventsPage() {
  const search: EventSearch = present(route.useSearch())
  const navigate = route.useNavigate()
  const { session } = business.useRouteContext()
  const events = useQuery(eventsQuery(search))
  const newCount = useNews(events.dataUpdatedAt, (event) => fits(event, search))
  const show = (change: { [Name in keyof EventSearch]?: EventSearch[Name] | undefined }) =>
    void navigate({ search: narrowedBy(change), resetScroll: false })
  const showNews = () => {
    void queryClient.invalidateQueries({ queryKey: ['events', 'list'] })
    show({})
  }
  const { data: accounts = [] } = useQuery({ ...accountNamesQuery, enabled: may(session, 'virtual_accounts:read') })
  const { cursor, ...filters } = search
  const isFiltered = Object.keys(filters).length > 0
  return (
    <Page title="Events" intro="Events from Causeway and the provider, newest first.">
      <ListCard
        query={events}
        cursor={cursor}
        onPage={(next) => show({ cursor: next })}
        filters={
          <FilterBar onClear={isFiltered ? () => void navigate({ search: {} }) : undefined}>
            <TextFilter
              label="End-user"
              isSearch
              placeholder="End-user"
              value={search.externalUserId}
              onChange={(externalUserId) => show({ externalUserId })}
            />
            <TextFilter
              label="Account"
              placeholder="Account ID"
              suggestions={accounts}
              value={search.virtualAccountId}
              onChange={(virtualAccountId) => show({ virtualAccountId })}
            />
            <SelectFilter
              label="Event type"
              all="All event types"
              value={search.eventType}
              options={eventTypeOptions(search.eventType)}
              onSelect={(eventType) => show({ eventType })}
            />
            <SelectFilter
              label="Source"
              all="All sources"
              value={search.source}
              options={sources}
              onSelect={(value) => show({ source: value === 'causeway' || value === 'provider' ? value : undefined })}
            />
            <RangeFilter from={search.from} to={search.to} onChange={show} />
          </FilterBar>
        }
        news={cursor === undefined && <NewsBar count={newCount} noun="event" onShow={showNews} />}
        caption="Events"
        columns={eventColumns}
        idOf={({ id }) => id}
        linkOf={({ id }) => ({ to: '/events/$id', params: { id } })}
        empty={<NoEvents isFiltered={isFiltered} hasMore={events.data?.nextCursor != null} />}
      />
    </Page>
  )
}

function NoEvents({ isFiltered, hasMore }: { isFiltered: boolean; hasMore: boolean }) {
  if (hasMore)
    return (
      <Empty title="No matches on this page">
        A page looks through a bounded number of events. The next one looks further back.
      </Empty>
    )
  if (isFiltered)
    return (
      <Empty title="No matching events">
        Clear a filter or widen the time range. Events are kept for a limited time.
      </Empty>
    )
  return (
    <Empty
      title="No events yet"
      command={`curl -X POST ${location.origin}/v0/end-users -H 'authorization: Bearer …' -H 'content-type: application/json' -d '{"externalUserId":"ada"}'`}
    >
      Create an end-user. Its first event appears here.
    </Empty>
  )
}

/** Whether the list would show an event that has just come. An event does not tell its account. */
function fits({ eventType, externalUserId, source }: Event, search: EventSearch): boolean {
  return (
    (search.eventType === undefined || search.eventType === eventType) &&
    (search.externalUserId === undefined || search.externalUserId === externalUserId) &&
    (search.source === undefined || search.source === source) &&
    search.virtualAccountId === undefined &&
    search.to === undefined
  )
}
