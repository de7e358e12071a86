// The alerts of a business or of the operator: those that are open, then all.

import type { Alert, Query } from '@causeway/sdk'
import { useQuery } from '@tanstack/react-query'
import type { Column } from '../../components/data-table.tsx'
import { FilterBar, SelectFilter } from '../../components/filters.tsx'
import { RangeFilter } from '../../components/lists/filter-fields.tsx'
import { ListCard } from '../../components/lists/list-card.tsx'
import { Empty } from '../../components/states.tsx'
import { Time, TimeAgo } from '../../components/time.tsx'
import { Badge } from '../../components/ui/badge.tsx'
import { PlaceLink } from '../../components/ui/place-link.tsx'
import { narrowedBy, present } from '../../search.ts'
import type { Session } from '../../session/session.ts'
import { alertsQuery } from './queries.ts'
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
  const open = useQuery({ ...alertsQuery(role, { state: 'open' }), enabled: !isFiltered && cursor === undefined })
  const common = { idOf: ({ id }: Alert) => id, columns: alertColumns(session) }
  return (
    <>
      {!isFiltered && cursor === undefined && (
        <ListCard
          {...common}
          query={open}
          title="Open"
          cursor={undefined}
          onPage={() => onSearch({ state: 'open' })}
          caption="Open alerts, newest first"
          empty={<p className="p-4 text-soft">No open alerts.</p>}
        />
      )}
      <ListCard
        {...common}
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
            <Empty title="No alerts yet">
              {role === 'operator'
                ? 'Problems of the deployment appear here, from the first alert channel on.'
                : 'Problems of endpoints, deposits and accounts, and changes of API keys appear here, from the first alert channel on.'}
            </Empty>
          )
        }
      />
    </>
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
