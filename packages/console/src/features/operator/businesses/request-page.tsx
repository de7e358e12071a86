// One request of a business, for the operator.

import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { LogOwner } from '../../../subjects/logs/owner.ts'
import { RequestPage } from '../../../subjects/logs/request-page.tsx'
import { businessQuery } from '../queries.ts'
import { BusinessesLink } from './frame.tsx'

const route = getRouteApi('/operator/businesses/$customerId/requests/$id')

export function BusinessRequestPage() {
  const { customerId, id } = route.useParams()
  const { data: business } = useQuery(businessQuery(customerId))
  const above = (
    <>
      <BusinessesLink /> <span aria-hidden="true">/</span>
      <Link to="/operator/businesses/$customerId" params={{ customerId }} className="hover:underline">
        {business?.name ?? 'Business'}
      </Link>
      <span aria-hidden="true">/</span>
      <Link to="/operator/businesses/$customerId/requests" params={{ customerId }} className="hover:underline">
        Requests
      </Link>
    </>
  )
  return (
    <LogOwner value={customerId}>
      <RequestPage id={id} above={above} />
    </LogOwner>
  )
}
