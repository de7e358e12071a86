// The filters of a list of deliveries.

import type { ReactNode } from 'react'
import { FilterBar, SelectFilter } from '../../../components/filters.tsx'
import { RangeFilter, TextFilter } from '../../../components/lists/filter-fields.tsx'
import { eventTypeOptions } from '../../../session/event-types.ts'
import { statusOptions } from '../words.ts'
import type { DeliverySearch } from './delivery-queries.ts'

type Props = {
  search: DeliverySearch
  onSearch: (change: { [Name in keyof DeliverySearch]?: DeliverySearch[Name] | undefined }) => void
  isFiltered: boolean
  endpoints?: readonly (readonly [id: string, url: string])[]
  children: ReactNode
}

const none = { status: undefined, eventType: undefined, externalUserId: undefined, from: undefined, to: undefined }

export function DeliveryFilters({ search, onSearch, isFiltered, endpoints, children }: Props) {
  const clear = () => onSearch({ ...none, ...(endpoints && { webhookEndpointId: undefined }) })
  return (
    <FilterBar onClear={isFiltered ? clear : undefined}>
      <SelectFilter
        label="Status"
        all="All statuses"
        value={search.status}
        options={statusOptions}
        onSelect={(value) => onSearch({ status: statusOptions.find(([status]) => status === value)?.[0] })}
      />
      {endpoints && (
        <SelectFilter
          label="Endpoint"
          all="All endpoints"
          value={search.webhookEndpointId}
          options={endpoints}
          onSelect={(webhookEndpointId) => onSearch({ webhookEndpointId })}
        />
      )}
      <SelectFilter
        label="Event type"
        all="All event types"
        value={search.eventType}
        options={eventTypeOptions(search.eventType)}
        onSelect={(eventType) => onSearch({ eventType })}
      />
      <TextFilter
        label="End-user"
        isSearch
        placeholder="End-user"
        className="sm:w-36"
        value={search.externalUserId}
        onChange={(externalUserId) => onSearch({ externalUserId })}
      />
      <RangeFilter from={search.from} to={search.to} onChange={onSearch} />
      {children}
    </FilterBar>
  )
}
