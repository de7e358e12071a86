// The log of the requests of a business, with its filters.

import type { ApiRequest } from '@causeway/sdk'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { RefreshCw } from 'lucide-react'
import { ListCard } from '../../components/lists/list-card.tsx'
import { Empty } from '../../components/states.tsx'
import { Button } from '../../components/ui/button.tsx'
import { narrowedBy, present } from '../../search.ts'
import { useActorNames } from './actors.ts'
import { ErrorGroups } from './error-groups.tsx'
import { requestLink, useLogOwner } from './owner.ts'
import { requestsQuery } from './queries.ts'
import { requestColumns } from './request-columns.tsx'
import { RequestFilters } from './request-filters.tsx'
import type { RequestSearch, SetSearch } from './search.ts'

type Requests = UseQueryResult<{ data: readonly ApiRequest[]; nextCursor: string | null }>

export const useRequests = (search: RequestSearch): Requests => useQuery(requestsQuery(useLogOwner(), search))

export function RefreshRequests({ requests }: { requests: Requests }) {
  return (
    <Button onClick={() => void requests.refetch()} disabled={requests.isFetching}>
      <RefreshCw /> Refresh
    </Button>
  )
}

type Props = { requests: Requests; search: RequestSearch; onSearch: SetSearch<RequestSearch> }

export function RequestLog({ requests, search, onSearch }: Props) {
  const owner = useLogOwner()
  const nameOf = useActorNames()
  const isFiltered = Object.keys(search).some((name) => name !== 'cursor')
  return (
    <>
      {search.view === 'errors' && (
        <ErrorGroups search={search} onSelect={(error) => onSearch(narrowedBy({ error }), { resetScroll: false })} />
      )}
      <ListCard
        query={requests}
        cursor={search.cursor}
        onPage={(cursor) => onSearch(present({ ...search, cursor }))}
        filters={<RequestFilters search={search} onSearch={onSearch} />}
        caption="Requests, newest first"
        isCompact
        columns={requestColumns(nameOf)}
        idOf={({ requestId, createdAt }) => `${requestId} ${createdAt}`}
        linkOf={({ requestId }) => requestLink(owner, requestId)}
        empty={<NoRequests isFiltered={isFiltered} hasMore={requests.data?.nextCursor != null} />}
      />
    </>
  )
}

function NoRequests({ isFiltered, hasMore }: { isFiltered: boolean; hasMore: boolean }) {
  const owner = useLogOwner()
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
  if (owner !== null)
    return (
      <Empty title="No requests yet">A request with a key of this business appears here a second or two later.</Empty>
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
