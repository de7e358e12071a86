// The filters of the log of requests.

import { operations } from '@causeway/sdk'
import { FilterBar, MoreFilters, SearchField, SelectFilter } from '../../components/filters.tsx'
import { RangeFilter } from '../../components/lists/filter-fields.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Checkbox } from '../../components/ui/form.tsx'
import { narrowedBy } from '../../search.ts'
import { shortId, useKnownActors } from './actors.ts'
import { methods, type RequestSearch, requestViews, type SetSearch } from './search.ts'

const statuses = [
  ['2xx', 'Succeeded (2xx)'],
  ['4xx', 'Client errors (4xx)'],
  ['5xx', 'Server errors (5xx)'],
] as const

/** As the log writes them: `/v0/end-users/:externalUserId`. */
const paths = [...new Set(Object.values(operations).map(({ path }) => path.replace(/\{(\w+)\}/g, ':$1')))]
  .sort()
  .map((path) => [path, path] as const)

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
    </fieldset>
  )
}

/** Behind “More filters”. */
const seldom = ['id', 'status', 'method', 'path', 'by', 'console'] as const satisfies (keyof RequestSearch)[]

type Props = { search: RequestSearch; onSearch: SetSearch<RequestSearch> }

export function RequestFilters({ search, onSearch }: Props) {
  const { keys, staff } = useKnownActors()
  const { cursor: _cursor, ...filters } = search
  const set = (change: Change) => onSearch(narrowedBy(change))
  const named = [...keys, ...staff]
  const isNamed = search.by === undefined || named.some(([id]) => id === search.by)
  const actors = isNamed ? named : [[search.by ?? '', shortId(search.by ?? '')] as const, ...named]
  return (
    <FilterBar onClear={Object.keys(filters).length > 0 ? () => onSearch({}) : undefined}>
      <QuickFilters search={search} set={set} />
      <RangeFilter from={search.from} to={search.to} onChange={set} />
      <MoreFilters activeCount={seldom.filter((name) => search[name] !== undefined).length}>
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
            label="Key, staff or session"
            all="All keys and staff"
            value={search.by}
            options={actors}
            onSelect={(by) => set({ by })}
          />
        </span>
        <Checkbox
          label="Console traffic"
          className="text-xs"
          checked={search.console === 'shown'}
          onChange={({ target }) => set({ console: target.checked ? 'shown' : undefined })}
        />
      </MoreFilters>
    </FilterBar>
  )
}

/** The URL may contain a single status. */
function statusOptions(status: string | undefined): readonly (readonly [string, string])[] {
  return status === undefined || statuses.some(([known]) => known === status)
    ? statuses
    : [[status, `Status ${status}`], ...statuses]
}
