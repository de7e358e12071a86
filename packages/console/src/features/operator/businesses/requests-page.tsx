// The log of the requests of one business, for the operator.

import { getRouteApi } from '@tanstack/react-router'
import { LogOwner } from '../../../subjects/logs/owner.ts'
import { RefreshRequests, RequestLog, useRequests } from '../../../subjects/logs/request-log.tsx'
import { BusinessFrame } from './frame.tsx'

const route = getRouteApi('/operator/businesses/$customerId/requests')

export function BusinessRequestsPage() {
  const { customerId } = route.useParams()
  return (
    <LogOwner value={customerId}>
      <Requests customerId={customerId} />
    </LogOwner>
  )
}

function Requests({ customerId }: { customerId: string }) {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const requests = useRequests(search)
  return (
    <BusinessFrame customerId={customerId} title="Requests" actions={<RefreshRequests requests={requests} />}>
      {() => (
        <RequestLog
          requests={requests}
          search={search}
          onSearch={(next, options) => void navigate({ search: next, ...options })}
        />
      )}
    </BusinessFrame>
  )
}
