// The businesses of this deployment.

import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { FilterBar, SearchField, SelectFilter } from '../../../components/filters.tsx'
import { ListCard } from '../../../components/lists/list-card.tsx'
import { Page } from '../../../components/page.tsx'
import { Empty } from '../../../components/states.tsx'
import { narrowedBy, present } from '../../../search.ts'
import { mayOperate } from '../../../session/session.ts'
import { businessesQuery } from '../queries.ts'
import { businessColumns } from './columns.tsx'
import { NewBusiness } from './name-dialog.tsx'

const route = getRouteApi('/operator/businesses')
const operator = getRouteApi('/operator')

export function BusinessesPage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const mayWrite = mayOperate(operator.useRouteContext().session)
  const { q, status, cursor } = search
  const businesses = useQuery(businessesQuery(present(search)))
  const isFiltered = q !== undefined || status !== undefined
  const filter = (change: { q?: string | undefined; status?: 'active' | 'suspended' | undefined }) =>
    void navigate({ search: narrowedBy(change), replace: true })
  return (
    <Page
      title="Businesses"
      intro="Each business has its own API keys and data. The keys of a suspended business are refused."
      actions={mayWrite && <NewBusiness />}
    >
      <ListCard
        query={businesses}
        cursor={cursor}
        onPage={(next) => void navigate({ search: present({ q, status, cursor: next }) })}
        filters={
          <FilterBar onClear={isFiltered ? () => void navigate({ search: {} }) : undefined}>
            <SearchField
              label="Search businesses"
              placeholder="Name or ID"
              value={q ?? ''}
              onSearch={(text) => filter({ q: text === '' ? undefined : text })}
            />
            <SelectFilter
              label="Status"
              all="All statuses"
              value={status}
              options={[
                ['active', 'Active'],
                ['suspended', 'Suspended'],
              ]}
              onSelect={(value) => filter({ status: value === 'active' || value === 'suspended' ? value : undefined })}
            />
          </FilterBar>
        }
        caption="Businesses, newest first"
        columns={businessColumns}
        idOf={({ id }) => id}
        linkOf={({ id }) => ({ to: '/operator/businesses/$customerId', params: { customerId: id } })}
        empty={
          isFiltered ? (
            <Empty title="No matching businesses">Search for a shorter part of the name, or clear the filters.</Empty>
          ) : (
            <Empty title="No businesses yet" command="causeway customers create --set name=Acme">
              Create a business, then issue an API key for its developers.
            </Empty>
          )
        }
      />
    </Page>
  )
}
