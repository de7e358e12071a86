// Who changed what in one business, for the operator.

import { getRouteApi } from '@tanstack/react-router'
import { AuditLog } from '../../../subjects/logs/audit-log.tsx'
import { LogOwner } from '../../../subjects/logs/owner.ts'
import { BusinessFrame } from './frame.tsx'

const route = getRouteApi('/operator/businesses/$customerId/audit')

export function BusinessAuditPage() {
  const { customerId } = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  return (
    <BusinessFrame customerId={customerId} title="Audit log">
      {() => (
        <LogOwner value={customerId}>
          <AuditLog search={search} onSearch={(next, options) => void navigate({ search: next, ...options })} />
        </LogOwner>
      )}
    </BusinessFrame>
  )
}
