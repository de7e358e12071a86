// The log of the requests of a business.

import { operations } from '@causeway/sdk'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { RefreshCw } from 'lucide-react'
import { FilterBar, SearchField, SelectFilter } from '../../../components/filters.tsx'
import { ListCard } from '../../../components/lists/list-card.tsx'
import { Page } from '../../../components/page.tsx'
import { Empty } from '../../../components/states.tsx'
import { Button } from '../../../components/ui/button.tsx'
import { Checkbox } from '../../../components/ui/form.tsx'
import { narrowedBy, present } from '../../../search.ts'
import { shortId, useActorNames } from '../key-words.tsx'
import { keyNamesQuery, requestsQuery } from '../queries.ts'
import { methods, type RequestSearch, requestViews } from '../search.ts'
import { ErrorGroups } from './error-groups.tsx'
import { requestColumns } from './request-columns.tsx'
import { TimeFilter } from './time-filter.tsx'

const route = getRouteApi('/business/developers/requests')

const statuses = [
  ['2xx', 'Succeeded (2xx)'],
  ['4xx', 'Client errors (4xx)'],
  ['5xx', 'Server errors (5xx)'],
] as const

/** As the log writes them: `/v0/end-users/:externalUserId`. */
const paths = [...new Set(Object.values(operations).map(({ path }) => path.replace(/\{(\w+)\}/g, ':$1')))]
  .sort()
  .map((path) => [path, path] as const)

export function RequestsPage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const requests = useQuery(requestsQuery(search))
  const nameOf = useActorNames()
  const isFiltered = Object.keys(search).some((name) => name !== 'cursor')
  return (
    <Page
      title="Requests"
      intro="Requests from your keys, newest first. The log stores no bodies and no query values."
      actions={
        <Button onClick={() => void requests.refetch()} disabled={requests.isFetching}>
          <RefreshCw /> Refresh
        </Button>
      }
    >
      {search.view === 'errors' && (
        <ErrorGroups
          search={search}
          onSelect={(error) => void navigate({ search: narrowedBy({ error }), resetScroll: false })}
        />
      )}
      <ListCard
        query={requests}
        cursor={search.cursor}
        onPage={(cursor) => void navigate({ search: present({ ...search, cursor }) })}
        filters={<Filters search={search} />}
        caption="Requests, newest first"
        columns={requestColumns(nameOf)}
        idOf={({ requestId, createdAt }) => `${requestId} ${createdAt}`}
        linkOf={({ requestId }) => ({ to: '/developers/requests/$id', params: { id: requestId } })}
        empty={<NoRequests isFiltered={isFiltered} hasMore={requests.data?.nextCursor != null} />}
      />
    </Page>
  )
}

function NoRequests({ isFiltered, hasMore }: { isFiltered: boolean; hasMore: boolean }) {
  if (hasMore)
    return (
      <Empty title="No matches on this page">
        Each page searches up to 50,000 requests. The next page may have matches.
      </Empty>
    )
  if (isFiltered)
    return (
      <Empty title="No matching requests">
        Requests are kept for a limited time. Requests without a valid key are not logged.
      </Empty>
    )
  return (
    <Empty
      title="No requests yet"
      command={`curl ${location.origin}/v0/whoami -H "Authorization: Bearer $CAUSEWAY_API_KEY"`}
    >
      Send a request with one of your keys. It appears here a second or two later.
    </Empty>
  )
}

type Change = { [K in keyof RequestSearch]: string | undefined }

const views = { errors: 'Errors', writes: 'Writes' } as const

function QuickFilters({ search, set }: { search: RequestSearch; set: (change: Change) => void }) {
  return (
    <fieldset aria-label="Quick filters" className="flex flex-wrap items-center gap-2">
      {requestViews.map((view) => (
        <Button
          key={view}
          size="sm"
          variant={search.view === view ? 'primary' : 'outline'}
          aria-pressed={search.view === view}
          onClick={() => set({ view: search.view === view ? undefined : view, error: undefined })}
        >
          {views[view]}
        </Button>
      ))}
      <Checkbox
        label="Console traffic"
        className="text-xs"
        checked={search.console === 'shown'}
        onChange={({ target }) => set({ console: target.checked ? 'shown' : undefined })}
      />
    </fieldset>
  )
}

function Filters({ search }: { search: RequestSearch }) {
  const navigate = route.useNavigate()
  const { data: keys = [] } = useQuery(keyNamesQuery)
  const { cursor: _cursor, ...filters } = search
  const set = (change: Change) => void navigate({ search: narrowedBy(change) })
  const named = keys.map(({ id, name, lastFour }): [string, string] => [id, `${name} (…${lastFour})`])
  const isNamed = search.by === undefined || keys.some(({ id }) => id === search.by)
  const actors = isNamed ? named : [[search.by ?? '', shortId(search.by ?? '')] as [string, string], ...named]
  return (
    <FilterBar onClear={Object.keys(filters).length > 0 ? () => void navigate({ search: {} }) : undefined}>
      <QuickFilters search={search} set={set} />
      <SearchField
        label="Request ID"
        placeholder="Request ID"
        value={search.id ?? ''}
        onSearch={(id) => set({ id: id === '' ? undefined : id })}
      />
      <SelectFilter
        label="Status"
        all="All statuses"
        value={search.status}
        options={statusOptions(search.status)}
        onSelect={(status) => set({ status })}
      />
      <SelectFilter
        label="Method"
        all="All methods"
        value={search.method}
        options={methods.map((method) => [method, method] as const)}
        onSelect={(method) => set({ method })}
      />
      <span className="max-w-full sm:w-56 [&>select]:w-full">
        <SelectFilter
          label="Path"
          all="All paths"
          value={search.path}
          options={paths}
          onSelect={(path) => set({ path })}
        />
      </span>
      <span className="max-w-full max-sm:flex-1 sm:w-60 [&>select]:w-full">
        <SelectFilter
          label="Key or session"
          all="All keys and sessions"
          value={search.by}
          options={actors}
          onSelect={(by) => set({ by })}
        />
      </span>
      <TimeFilter from={search.from} to={search.to} onChange={set} />
    </FilterBar>
  )
}

/** One status alone may stand in the address. */
function statusOptions(status: string | undefined): readonly (readonly [string, string])[] {
  return status === undefined || statuses.some(([known]) => known === status)
    ? statuses
    : [[status, `Status ${status}`], ...statuses]
}
