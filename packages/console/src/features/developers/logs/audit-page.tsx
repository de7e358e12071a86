// Who changed what in the business that is signed in.

import { getRouteApi } from '@tanstack/react-router'
import { Page } from '../../../components/page.tsx'
import { AuditLog } from '../../../subjects/logs/audit-log.tsx'

const route = getRouteApi('/business/developers/audit')

export function AuditPage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  return (
    <Page
      title="Audit log"
      intro="Who changed keys, links, webhook endpoints, destinations and accounts. Entries are never deleted."
    >
      <AuditLog search={search} onSearch={(next, options) => void navigate({ search: next, ...options })} />
    </Page>
  )
}
