// Events of the provider that could not be applied yet.

import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { FilterBar, SelectFilter } from '../../../components/filters.tsx'
import { ListCard } from '../../../components/lists/list-card.tsx'
import { Page } from '../../../components/page.tsx'
import { Empty } from '../../../components/states.tsx'
import { present } from '../../../search.ts'
import { heldEventsQuery } from '../queries.ts'
import { heldColumns } from './columns.tsx'

const route = getRouteApi('/operator/events')

export function HeldEventsPage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { state, cursor } = search
  const events = useQuery(heldEventsQuery(present(search)))
  const choose = (next: 'waiting' | 'quarantined' | undefined) =>
    void navigate({ search: present({ state: next }), replace: true })
  return (
    <Page
      title="Held events"
      intro="Provider events that Causeway cannot assign or apply yet. Pending events are retried automatically; quarantined events only by you."
    >
      <ListCard
        query={events}
        cursor={cursor}
        onPage={(next) => void navigate({ search: present({ state, cursor: next }) })}
        filters={
          <FilterBar onClear={state === undefined ? undefined : () => void navigate({ search: {} })}>
            <SelectFilter
              label="Status"
              all="All statuses"
              value={state}
              options={[
                ['waiting', 'Pending'],
                ['quarantined', 'Quarantined'],
              ]}
              onSelect={(value) => choose(value === 'waiting' || value === 'quarantined' ? value : undefined)}
            />
          </FilterBar>
        }
        caption="Held events, newest first"
        columns={heldColumns}
        idOf={({ id }) => id}
        linkOf={({ id }) => ({ to: '/operator/events/$id', params: { id } })}
        empty={
          <Empty title={state === undefined ? 'No held events' : 'No matching held events'}>
            All provider events were assigned and applied.
          </Empty>
        }
      />
    </Page>
  )
}
