// The operator's first page: what needs attention, the provider, what waits, who works on it.

import type { RelayStatus } from '@causeway/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { DataTable } from '../../../components/data-table.tsx'
import { Page } from '../../../components/page.tsx'
import { Empty, Failure, Skeleton } from '../../../components/states.tsx'
import { Card } from '../../../components/ui/card.tsx'
import { Figure, Figures } from '../figure.tsx'
import { relayQuery } from '../queries.ts'
import { countWords, waitWords } from '../words.tsx'
import { OperatorAttention } from './attention.tsx'
import { laneColumns, replicaColumns } from './columns.tsx'
import { DeploymentCard } from './deployment-card.tsx'
import { lateSeconds } from './problems.ts'
import { ProviderCard } from './provider-card.tsx'

export function OverviewPage() {
  const { data, error, refetch } = useQuery(relayQuery)
  return (
    <Page
      title="Overview"
      intro="Provider health, delivery backlog, replicas, businesses and storage. Health and backlog refresh every ten seconds."
    >
      <OperatorAttention />
      <ProviderCard />
      {error !== null && data === undefined ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : (
        <Card id="backlog" title="Backlog">
          {data === undefined ? <Skeleton lines={3} /> : <Backlog relay={data} />}
        </Card>
      )}
      <DeploymentCard />
      {(error === null || data !== undefined) && <RelayTables relay={data} />}
    </Page>
  )
}

function RelayTables({ relay }: { relay: RelayStatus | undefined }) {
  return (
    <>
      <Card id="endpoints" flush title="Endpoints with a backlog">
        <DataTable
          caption="Endpoints with a backlog, longest wait first"
          columns={laneColumns}
          rows={relay?.lanes}
          idOf={({ webhookEndpointId }) => webhookEndpointId}
          empty={<Empty title="No backlog">Endpoints with unfinished deliveries appear here.</Empty>}
        />
      </Card>
      <Card flush title="Replicas">
        <DataTable
          caption="Running replicas"
          columns={replicaColumns}
          rows={relay?.replicas}
          idOf={({ id }) => id}
          empty={<Empty title="No replicas yet">A replica reports when it starts, and then once a minute.</Empty>}
        />
      </Card>
    </>
  )
}

function Backlog({ relay }: { relay: RelayStatus }) {
  const { deliveriesWaiting, oldestWaitingSeconds, oldestHeldSeconds, endpoints } = relay
  return (
    <Figures>
      <Figure
        name="Deliveries"
        note={oldestWaitingSeconds === 0 ? 'none late' : `oldest waiting ${waitWords(oldestWaitingSeconds)}`}
        tone={oldestWaitingSeconds > lateSeconds ? 'warn' : 'plain'}
      >
        {countWords(deliveriesWaiting)}
      </Figure>
      <Figure
        name="Endpoints"
        note={`${countWords(endpoints.paused)} paused, ${countWords(endpoints.disabled)} disabled${
          oldestHeldSeconds === 0 ? '' : `, oldest held ${waitWords(oldestHeldSeconds)}`
        }`}
        tone={endpoints.failing > 0 ? 'warn' : 'plain'}
      >
        {endpoints.failing === 0
          ? `${countWords(endpoints.enabled)} enabled`
          : `${countWords(endpoints.failing)} failing`}
      </Figure>
      <Figure
        name="Writes with an unknown outcome"
        note={relay.operationsUnknown === 0 ? 'none' : `oldest pending ${waitWords(relay.oldestOperationSeconds)}`}
        tone={relay.oldestOperationSeconds > lateSeconds ? 'warn' : 'plain'}
      >
        {countWords(relay.operationsUnknown)}
      </Figure>
      <Figure
        name="Held events"
        note={
          <Link to="/operator/events" className="text-accent underline">
            {relay.eventsQuarantined === 0 ? 'none quarantined' : `${countWords(relay.eventsQuarantined)} quarantined`}
          </Link>
        }
        tone={relay.eventsQuarantined > 0 ? 'bad' : relay.eventsAmbiguous > 0 ? 'warn' : 'plain'}
      >
        {countWords(relay.eventsWaiting + relay.eventsQuarantined)}
      </Figure>
    </Figures>
  )
}
