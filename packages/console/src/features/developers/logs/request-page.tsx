// One request of the business that is signed in.

import { getRouteApi, Link } from '@tanstack/react-router'
import { RequestPage } from '../../../subjects/logs/request-page.tsx'

const route = getRouteApi('/business/developers/requests/$id')

export function OwnRequestPage() {
  const { id } = route.useParams()
  return (
    <RequestPage
      id={id}
      above={
        <Link to="/developers/requests" className="hover:underline">
          Requests
        </Link>
      }
    />
  )
}
