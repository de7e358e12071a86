// The endpoints of the business, each with its health of the last day.

import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { DataTable } from '../../../components/data-table.tsx'
import { Page } from '../../../components/page.tsx'
import { Empty, Failure } from '../../../components/states.tsx'
import { Card } from '../../../components/ui/card.tsx'
import { may } from '../../../session/session.ts'
import { endpointsQuery } from '../../../subjects/endpoint.ts'
import { endpointColumns } from '../columns.tsx'
import { healthQuery } from '../queries.ts'
import { CreateEndpoint } from './create-endpoint.tsx'
import { hourlyTotals } from './rows.ts'

const business = getRouteApi('/business')

export function EndpointsPage() {
  const { session } = business.useRouteContext()
  const { data: endpoints, error, refetch } = useQuery(endpointsQuery)
  const { data: stats } = useQuery({ ...healthQuery('24h'), enabled: may(session, 'events:read') })
  const mayWrite = may(session, 'webhooks:write')
  return (
    <Page
      title="Webhooks"
      intro="Your endpoints, each with its own event filter, signing secret and health."
      actions={mayWrite && <CreateEndpoint openedBy="create" />}
    >
      <Card flush>
        {error && <Failure className="m-4" error={error} onRetry={() => void refetch()} />}
        {(endpoints || !error) && (
          <DataTable
            caption="Webhook endpoints"
            columns={endpointColumns}
            rows={endpoints?.map((endpoint) => ({ ...endpoint, ...hourlyTotals(endpoint.id, stats) }))}
            idOf={({ id }) => id}
            linkOf={({ id }) => ({ to: '/webhooks/$id', params: { id } })}
            empty={
              <Empty
                title="No endpoints yet"
                action={mayWrite && <CreateEndpoint />}
                command="npx @causeway/cli listen --forward-to localhost:3000/hooks"
              >
                An endpoint is your URL that receives a signed request for each event. Without a public URL, use:
              </Empty>
            }
          />
        )}
      </Card>
    </Page>
  )
}
