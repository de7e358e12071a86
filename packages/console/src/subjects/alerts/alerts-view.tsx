// The alerts of a business or of the operator: those that are open, then all.

import type { Alert, Query } from '@causeway/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Column } from '../../components/data-table.tsx'
import { FilterBar, SelectFilter } from '../../components/filters.tsx'
import { RangeFilter } from '../../components/lists/filter-fields.tsx'
import { ListCard } from '../../components/lists/list-card.tsx'
import { Empty } from '../../components/states.tsx'
import { Time, TimeAgo } from '../../components/time.tsx'
import { Badge } from '../../components/ui/badge.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Card } from '../../components/ui/card.tsx'
import { PlaceLink } from '../../components/ui/place-link.tsx'
import { narrowedBy, present } from '../../search.ts'
import type { Session } from '../../session/session.ts'
import { mayChangeAlerts } from './channels-view.tsx'
import { alertsQuery, channelsQuery } from './queries.ts'
import type { AlertSearch } from './search.ts'
import { alertStates, factsOf, kindOptions, kindWords, subjectPlace, subjectWords } from './words.ts'

type Set<Search> = (next: Search | ((before: Search) => Search)) => void
type Props = { session: Session; search: AlertSearch; onSearch: Set<AlertSearch> }

export function AlertsView({ session, search, onSearch }: Props) {
  const { role } = session
  const { from, to, cursor, ...filters } = search
  const isFiltered = Object.keys(present({ ...filters, from, to })).length > 0
  const query = { ...filters, createdAfter: from, createdBefore: to, cursor }
  const all = useQuery(alertsQuery(role, present(query) as Query<'listAlerts'>))
  const isFirstPage = !isFiltered && cursor === undefined
  const open = useQuery({ ...alertsQuery(role, { state: 'open' }), enabled: isFirstPage })
  const { data: channels } = useQuery(channelsQuery(role))
  const idOf = ({ id }: Alert) => id
  const columns = alertColumns(session)
  // Alerts are recorded from the first channel on: without one, "No open alerts" could be untrue.
  if (isFirstPage && channels?.length === 0 && all.data?.data.length === 0) return <NoChannels session={session} />
  return (
    <>
      {isFirstPage && (
        <ListCard
          idOf={idOf}
          columns={columns.filter(({ id }) => id !== 'state' && id !== 'recovered')}
          query={open}
          title="Open"
          cursor={undefined}
          onPage={() => onSearch({ state: 'open' })}
          caption="Open alerts, newest first"
          empty={<p className="p-4 text-soft">No open alerts.</p>}
        />
      )}
      <ListCard
        idOf={idOf}
        columns={columns}
        query={all}
        title={isFiltered ? 'Matching alerts' : 'All alerts'}
        cursor={cursor}
        onPage={(next) => onSearch(present({ ...search, cursor: next }))}
        filters={<Filters session={session} search={search} onSearch={onSearch} isFiltered={isFiltered} />}
        caption="Alerts, newest first"
        empty={
          isFiltered ? (
            <Empty title="No matching alerts">Choose another kind or time, or clear the filters.</Empty>
          ) : (
            <Empty title="No alerts yet">No problems since the first alert channel was created.</Empty>
          )
        }
      />
    </>
  )
}

function NoChannels({ session }: { session: Session }) {
  const to = session.role === 'operator' ? '/operator/alerts/channels' : '/alerts/channels'
  return (
    <Card flush>
      <Empty
        title="No alert channels yet"
        action={
          mayChangeAlerts(session) && (
            <Button asChild variant="primary">
              <Link to={to} hash="create">
                Create channel
              </Link>
            </Button>
          )
        }
      >
        {session.role === 'operator'
          ? 'Causeway records problems with this deployment after you create the first channel.'
          : 'Causeway records problems with endpoints, deposits and accounts, and changes of API keys, after you create the first channel.'}
      </Empty>
    </Card>
  )
}

function Filters({ session, search, onSearch, isFiltered }: Props & { isFiltered: boolean }) {
  const set = (change: { [Name in keyof AlertSearch]: AlertSearch[Name] }) => onSearch(narrowedBy(change))
  return (
    <FilterBar onClear={isFiltered ? () => onSearch({}) : undefined}>
      <SelectFilter
        label="State"
        all="All states"
        value={search.state}
        options={Object.entries(alertStates).map(([state, [, words]]) => [state, words] as const)}
        onSelect={(state) => set({ state: state as AlertSearch['state'] })}
      />
      <SelectFilter
        label="Kind"
        all="All kinds"
        value={search.kind}
        options={kindOptions(session.role)}
        onSelect={(kind) => set({ kind })}
      />
      <RangeFilter from={search.from} to={search.to} onChange={set} />
    </FilterBar>
  )
}

const alertColumns = (session: Session): readonly Column<Alert>[] => [
  {
    id: 'kind',
    header: 'Alert',
    cell: (alert) => (
      <span className="grid gap-0.5">
        <span className="font-medium">{kindWords(alert.kind)}</span>
        {factsOf(alert) !== '' && <span className="wrap-anywhere max-w-md text-soft text-xs">{factsOf(alert)}</span>}
      </span>
    ),
  },
  {
    id: 'state',
    header: 'State',
    cell: ({ state }) => {
      const [tone, words] = alertStates[state]
      return <Badge tone={tone}>{words}</Badge>
    },
  },
  {
    id: 'subject',
    header: 'Subject',
    cell: (alert) => <Subject alert={alert} session={session} />,
  },
  { id: 'since', header: 'Since', cell: ({ openedAt }) => <TimeAgo at={openedAt} /> },
  {
    id: 'recovered',
    header: 'Recovered',
    wideOnly: true,
    cell: ({ recoveredAt }) =>
      recoveredAt === null ? <span className="text-soft">–</span> : <Time at={recoveredAt} />,
  },
]

/** The operator's alerts are about the deployment: only the page is named. */
function Subject({ alert, session }: { alert: Alert; session: Session }) {
  const place = subjectPlace(alert, session)
  const words = session.role === 'operator' ? 'View' : subjectWords(alert)
  if (place === null)
    return (
      <span className="wrap-anywhere" title={alert.subjectId}>
        {words}
      </span>
    )
  return (
    <PlaceLink {...place} className="wrap-anywhere text-accent hover:underline">
      {words}
    </PlaceLink>
  )
}
