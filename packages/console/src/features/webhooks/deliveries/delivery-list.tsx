// Deliveries with their filters; selected ones are sent again from here.

import type { ListedDelivery } from '@causeway/sdk'
import { useQuery } from '@tanstack/react-query'
import { RefreshCw } from 'lucide-react'
import { useState } from 'react'
import { DataTable, Pager } from '../../../components/data-table.tsx'
import { NewsBar } from '../../../components/lists/news-bar.tsx'
import { Empty, Failure } from '../../../components/states.tsx'
import { Button } from '../../../components/ui/button.tsx'
import { useNews } from '../../../session/news.ts'
import { deliveryColumns } from '../columns.tsx'
import { DeliveryFilters } from './delivery-filters.tsx'
import { type DeliverySearch, deliveriesQuery, isWaiting, statesQuery } from './delivery-queries.ts'
import { nothingSelected, type Selection, SelectionBar } from './selection-bar.tsx'

type Props = {
  /** The listed deliveries: the filters of the URL, and the endpoint of the page. */
  search: DeliverySearch
  /** Changes the address. Members that are undefined leave it. */
  onSearch: (change: { [Name in keyof DeliverySearch]?: DeliverySearch[Name] | undefined }) => void
  mayResend: boolean
  /** The address of an endpoint, where deliveries of several are listed. */
  urlOf?: (endpointId: string) => string
  /** The endpoints to filter by. */
  endpoints?: readonly (readonly [id: string, url: string])[]
}

export function DeliveryList({ search, onSearch, mayResend, urlOf, endpoints }: Props) {
  const { page, readAtMs, error, refetch, isFetching } = usePage(search)
  // Another filter is another list: what was selected in the old one is not sent by mistake.
  const list = JSON.stringify(search)
  const [selected, setSelected] = useState<{ list: string; selection: Selection }>({ list, selection: nothingSelected })
  const selection = selected.list === list ? selected.selection : nothingSelected
  const select = (next: Selection) => setSelected({ list, selection: next })
  const newCount = useNews(
    readAtMs,
    ({ eventType, externalUserId, test }) =>
      !test &&
      (search.eventType ?? eventType) === eventType &&
      (search.externalUserId ?? externalUserId) === externalUserId &&
      search.to === undefined,
  )
  const readAgain = () => void refetch()
  const { cursor, webhookEndpointId, ...filters } = search
  const isFiltered = Object.keys(filters).length > 0 || (endpoints !== undefined && webhookEndpointId !== undefined)
  const rows = page?.data ?? []
  return (
    <>
      <DeliveryFilters search={search} onSearch={onSearch} isFiltered={isFiltered} {...(endpoints && { endpoints })}>
        <Button
          variant="ghost"
          size="icon"
          aria-label="Refresh the list"
          title="Refresh"
          disabled={isFetching}
          onClick={readAgain}
        >
          <RefreshCw />
        </Button>
      </DeliveryFilters>
      {mayResend && <SelectionBar selection={selection} onSelect={select} />}
      {cursor === undefined && <NewsBar count={newCount} noun="event" onShow={readAgain} />}
      {error && <Failure className="m-4" error={error} onRetry={() => void refetch()} />}
      {(page || !error) && (
        <DataTable<ListedDelivery>
          caption="Deliveries"
          columns={deliveryColumns(urlOf)}
          rows={page?.data}
          idOf={({ id }) => id}
          linkOf={({ id }) => ({ to: '/webhooks/deliveries/$id', params: { id } })}
          empty={<NoDeliveries isFiltered={isFiltered} hasMore={page?.nextCursor != null} />}
          {...(mayResend && {
            selection: {
              isSelected: ({ id }) => selection.has(id),
              onSelect: ({ id }, isOn) => select(withId(selection, id, isOn)),
              onSelectAll: (isOn) => select(isOn ? new Set(rows.map(({ id }) => id)) : nothingSelected),
              nameOf: ({ eventType, createdAt }) => `${eventType} of ${createdAt}`,
            },
          })}
        />
      )}
      <Pager cursor={cursor} nextCursor={page?.nextCursor} onPage={(next) => onSearch({ cursor: next })} />
    </>
  )
}

/** The page as it was read, its rows in their newest states. Under a filter by state they would leave it: there they stay. */
function usePage(search: DeliverySearch) {
  const { data, dataUpdatedAt, error, refetch, isFetching } = useQuery(deliveriesQuery(search))
  const isMoving = search.status === undefined && (data?.data.some(isWaiting) ?? false)
  const states = useQuery(statesQuery(search, isMoving))
  const newer = states.dataUpdatedAt > dataUpdatedAt ? states.data?.data : undefined
  const byId = new Map(newer?.map((row) => [row.id, row]))
  const page = data && { ...data, data: data.data.map((row) => byId.get(row.id) ?? row) }
  return { page, readAtMs: dataUpdatedAt, error, refetch, isFetching }
}

function withId(selection: Selection, id: string, isOn: boolean): Selection {
  const ids = new Set(selection)
  if (isOn) ids.add(id)
  else ids.delete(id)
  return ids
}

function NoDeliveries({ isFiltered, hasMore }: { isFiltered: boolean; hasMore: boolean }) {
  if (hasMore)
    return (
      <Empty title="No matches on this page">
        Each page searches up to 2,000 deliveries. The next page may have matches.
      </Empty>
    )
  if (isFiltered) return <Empty title="No matching deliveries">Clear a filter or widen the time range.</Empty>
  return <Empty title="No deliveries yet">A delivery appears with the next event that an endpoint subscribes to.</Empty>
}
