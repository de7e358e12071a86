// The deliveries of all endpoints.

import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Page } from '../../../components/page.tsx'
import { Card } from '../../../components/ui/card.tsx'
import { narrowedBy, present } from '../../../search.ts'
import { may } from '../../../session/session.ts'
import { endpointsQuery } from '../../../subjects/endpoint.ts'
import { DeliveryList } from './delivery-list.tsx'
import { ResendUndelivered } from './resend-undelivered.tsx'

const route = getRouteApi('/business/webhooks/deliveries')
const business = getRouteApi('/business')

export function DeliveriesPage() {
  const { session } = business.useRouteContext()
  const search = present(route.useSearch())
  const navigate = route.useNavigate()
  const { data: endpoints } = useQuery({ ...endpointsQuery, enabled: may(session, 'webhooks:read') })
  const mayResend = may(session, 'events:write')
  const urls = new Map(endpoints?.map(({ id, webhookUrl }) => [id, webhookUrl]))
  return (
    <Page
      title="Deliveries"
      above={<Link to="/webhooks">Webhooks</Link>}
      intro="Each delivery is one event sent to one endpoint, with its last attempt."
      actions={mayResend && <ResendUndelivered search={search} />}
    >
      <Card flush>
        <DeliveryList
          search={search}
          onSearch={(change) => void navigate({ search: narrowedBy(change), resetScroll: false })}
          mayResend={mayResend}
          urlOf={(id) => urls.get(id) ?? 'Deleted endpoint'}
          endpoints={[...urls]}
        />
      </Card>
    </Page>
  )
}
