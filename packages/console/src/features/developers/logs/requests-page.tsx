// The log of the requests of the business that is signed in.

import { getRouteApi } from '@tanstack/react-router'
import { Page } from '../../../components/page.tsx'
import { RefreshRequests, RequestLog, useRequests } from '../../../subjects/logs/request-log.tsx'

const route = getRouteApi('/business/developers/requests')

export function RequestsPage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const requests = useRequests(search)
  return (
    <Page
      title="Requests"
      intro="Requests from your keys, newest first. The log stores no bodies and no query values."
      actions={<RefreshRequests requests={requests} />}
    >
      <RequestLog
        requests={requests}
        search={search}
        onSearch={(next, options) => void navigate({ search: next, ...options })}
      />
    </Page>
  )
}
