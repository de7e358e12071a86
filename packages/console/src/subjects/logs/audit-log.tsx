// Who changed what in the business.

import type { AuditEntry } from '@causeway/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Column } from '../../components/data-table.tsx'
import { FilterBar, SelectFilter } from '../../components/filters.tsx'
import { RangeFilter } from '../../components/lists/filter-fields.tsx'
import { ListCard } from '../../components/lists/list-card.tsx'
import { Empty } from '../../components/states.tsx'
import { TimeAgo } from '../../components/time.tsx'
import { PlaceLink } from '../../components/ui/place-link.tsx'
import { narrowedBy, present } from '../../search.ts'
import { shortId, useActorNames, useKnownActors } from './actors.ts'
import { type AuditGroup, actionOptions, grouped, pageOf, subjectOf, wordsOf } from './audit-words.ts'
import { type Owner, requestLink, useLogOwner } from './owner.ts'
import { auditQuery } from './queries.ts'
import type { AuditSearch, SetSearch } from './search.ts'

const groupedPage = <Page extends { data: readonly AuditEntry[] }>(page: Page) => ({
  ...page,
  data: grouped(page.data),
})

type Props = { search: AuditSearch; onSearch: SetSearch<AuditSearch> }

export function AuditLog({ search, onSearch }: Props) {
  const owner = useLogOwner()
  const entries = useQuery({ ...auditQuery(owner, search), select: groupedPage })
  const nameOf = useActorNames()
  return (
    <ListCard
      query={entries}
      cursor={search.cursor}
      onPage={(cursor) => onSearch(present({ ...search, cursor }))}
      filters={<Filters search={search} onSearch={onSearch} />}
      caption="Audit log entries, newest first"
      columns={auditColumns(nameOf, owner)}
      idOf={({ number }) => String(number)}
      empty={
        <Empty
          title="No matching entries"
          command={owner === null ? 'causeway audit-log list' : `causeway customers audit-log ${owner}`}
        >
          Reads are not recorded. Onboarding is recorded as events.
        </Empty>
      }
    />
  )
}

const auditColumns = (nameOf: (id: string) => string, owner: Owner): readonly Column<AuditGroup>[] => [
  {
    id: 'what',
    header: 'Action',
    cell: (entry) => <Sentence entry={entry} nameOf={nameOf} />,
  },
  {
    id: 'subject',
    header: 'Subject',
    cell: ({ subjectId, action }) => (
      <Subject id={subjectId} name={/^(api_key|staff)\./.test(action) ? nameOf(subjectId) : null} />
    ),
  },
  {
    id: 'request',
    header: 'Request',
    cell: ({ requestId }) =>
      requestId === null ? (
        <span className="text-soft">–</span>
      ) : (
        <Link
          {...requestLink(owner, requestId)}
          className="font-mono text-accent text-xs hover:underline"
          title={requestId}
        >
          {shortId(requestId)}
        </Link>
      ),
    wideOnly: true,
  },
  { id: 'at', header: 'Time', cell: ({ createdAt }) => <TimeAgo at={createdAt} />, align: 'right' },
]

function Sentence({ entry, nameOf }: { entry: AuditGroup; nameOf: (id: string) => string }) {
  const { did, more } = wordsOf(entry)
  return (
    <span className="grid min-w-0 gap-0.5 py-1">
      <span>
        <span className="font-medium" title={entry.actor}>
          {entry.person?.email ?? entry.person?.subject ?? nameOf(entry.actor)}
        </span>{' '}
        {did}
        {entry.consoleSessionId !== null && !entry.action.startsWith('console_session.') && (
          <span className="text-soft" title={entry.consoleSessionId}>
            {' '}
            in the console
          </span>
        )}
      </span>
      {entry.earlierCount > 0 && (
        <span className="text-soft text-xs">
          and {entry.earlierCount} more {entry.earlierCount === 1 ? 'time' : 'times'} just before
        </span>
      )}
      {more !== null && <span className="wrap-anywhere max-w-xl text-soft text-xs">{more}</span>}
    </span>
  )
}

function Subject({ id, name }: { id: string; name: string | null }) {
  const page = pageOf(id, useLogOwner())
  const shown =
    name === null || name === shortId(id) ? (
      <span title={id} className="whitespace-nowrap">
        {subjectOf(id)} <span className="font-mono text-xs">…{id.slice(-4)}</span>
      </span>
    ) : (
      <span title={id}>{name}</span>
    )
  if (page !== null)
    return (
      <PlaceLink {...page} className="text-accent hover:underline">
        {shown}
      </PlaceLink>
    )
  return shown
}

function Filters({ search, onSearch }: Props) {
  const { keys, staff } = useKnownActors()
  const { cursor: _cursor, ...filters } = search
  const set = (change: { [K in keyof AuditSearch]: string | undefined }) => onSearch(narrowedBy(change))
  const actors: (readonly [id: string, name: string])[] = [
    ['operator', 'Operator'],
    ['provider', 'Provider'],
    ['causeway', 'Causeway'],
    ...keys,
    ...staff,
  ]
  const { actor } = search
  if (actor !== undefined && !actors.some(([id]) => id === actor)) actors.unshift([actor, shortId(actor)])
  return (
    <FilterBar onClear={Object.keys(filters).length > 0 ? () => onSearch({}) : undefined}>
      <span className="max-w-full max-sm:w-full sm:w-56 [&>select]:w-full">
        <SelectFilter
          label="Action"
          all="All actions"
          value={search.action}
          options={actionOptions}
          onSelect={(action) => set({ action })}
        />
      </span>
      <span className="max-w-full max-sm:w-full sm:w-48 [&>select]:w-full">
        <SelectFilter
          label="Actor"
          all="All actors"
          value={actor}
          options={actors}
          onSelect={(next) => set({ actor: next })}
        />
      </span>
      <RangeFilter from={search.from} to={search.to} onChange={set} />
    </FilterBar>
  )
}
