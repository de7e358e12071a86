// Operator status routes: provider, relay, storage, and statistics of a business.

import { Type } from 'typebox'
import { getAnyBusiness } from '../../businesses/service.ts'
import type { ServerCore } from '../../platform/core.ts'
import { operatorOperations } from '../../platform/http/operation.ts'
import { idOf, isoTime, named, nullable, oneOf } from '../../platform/http/schema/schema.ts'
import { stats, statsQuery } from '../../stats/operations.ts'
import { readStats } from '../../stats/service.ts'
import { countMax } from '../diagnostics.ts'
import { type ProviderStatus, providerProblems } from './provider.ts'
import { waitingCountedMax } from './relay.store.ts'
import { readRelayStatus } from './relay.ts'
import { readStorageStatus } from './storage.ts'

const count = Type.Integer({ minimum: 0 })
const seconds = Type.Integer({ minimum: 0, description: '0 if nothing is queued.' })
const bytes = Type.Integer({ minimum: 0, examples: [8_192] })

const providerStatus = named('ProviderStatus', {
  kind: Type.String({ examples: ['sandbox'] }),
  url: Type.String(),
  reachable: Type.Boolean({
    description:
      'Whether the provider responded within three seconds, even with an error or an unreadable response: `problem` says which.',
  }),
  problem: nullable(oneOf('ProviderProblem', providerProblems, { description: 'How the last check failed.' })),
  checkedAt: { ...isoTime, description: 'When the provider was last checked: at most once in five seconds.' },
  tookMs: count,
  webhook: nullable(
    named('ProviderWebhookStatus', {
      url: Type.String(),
      status: Type.String({ description: 'Events arrive while the status is `active`.' }),
      isKeyKnown: Type.Boolean({
        description:
          'Whether Causeway knows the public key that the provider signs with. If not, its events are rejected.',
      }),
    }),
  ),
  calls: named('ProviderCalls', {
    total: { ...count, description: 'Calls of the process that responds, since it started.' },
    failed: { ...count, description: 'How many of these calls failed at the provider.' },
    byOutcome: Type.Unsafe<Record<string, number>>({ type: 'object', additionalProperties: count }),
    lastSuccessAt: nullable(isoTime),
    lastFailureAt: nullable(isoTime),
  }),
  signatureFailures: {
    ...count,
    description: 'Events that this process rejected because of their signature, since it started.',
  },
  lastEventAt: nullable({
    ...isoTime,
    description: 'When the newest provider event arrived; null if it is not among the newest 1,000 events.',
  }),
  operationsUnknown: {
    ...count,
    description: 'Writes at the provider with an unknown outcome, which Causeway is checking.',
  },
  reconciliation: named('ReconciliationStatus', {
    failures: { ...count, description: 'Consecutive failures to read the provider’s event log.' },
    nextAt: isoTime,
    rereadCoveredTo: nullable({ ...isoTime, description: 'When the last complete re-read of every object started.' }),
    informationRequestsCoveredTo: nullable({
      ...isoTime,
      description: 'When the last complete read of the provider’s information requests started.',
    }),
    informationRequestsRefusedSince: nullable({
      ...isoTime,
      description:
        'The time since which the provider refuses to list its information requests: the feature is not enabled, or the API key lacks the scope `rfi:read`. Null while the provider lists them.',
    }),
  }),
})

const lane = named('LaneStatus', {
  webhookEndpointId: idOf('webhookEndpoint'),
  customerId: idOf('business'),
  customerName: Type.String(),
  host: Type.String({ description: 'The host of the endpoint’s URL.' }),
  status: oneOf('WebhookEndpointStatus', ['enabled', 'paused', 'disabled']),
  waiting: { ...count, description: `Queued deliveries, counted up to ${waitingCountedMax}.` },
  oldestAt: isoTime,
  failures: { ...count, description: 'Consecutive failed attempts.' },
  failingSince: nullable(isoTime),
  replica: nullable(Type.String({ description: 'The replica that holds the lane; null if none does.' })),
})

const replica = named('Replica', {
  id: Type.String(),
  version: Type.String(),
  role: Type.String({ description: '`all`, `api` or `relay`.' }),
  startedAt: isoTime,
  aliveUntil: { ...isoTime, description: 'The replica counts as running until this time, and renews it each minute.' },
  lanes: { ...count, description: 'Lanes with queued deliveries that the replica holds.' },
  isSelf: Type.Boolean({ description: 'Whether this replica sent the response.' }),
})

const relayStatus = named('RelayStatus', {
  deliveriesWaiting: { ...count, description: `Counted up to ${countMax}, like the other counts.` },
  oldestWaitingSeconds: seconds,
  oldestHeldSeconds: { ...seconds, description: 'The age of the oldest delivery of paused or disabled endpoints.' },
  operationsUnknown: count,
  oldestOperationSeconds: seconds,
  eventsWaiting: { ...count, description: 'Events whose owner or account is not known yet.' },
  eventsAmbiguous: { ...count, description: 'How many of these events name several businesses.' },
  eventsQuarantined: count,
  endpoints: named('EndpointCounts', { enabled: count, paused: count, disabled: count, failing: count }),
  lanes: Type.Array(lane, { description: 'Lanes with queued deliveries: at most 50, longest wait first.' }),
  replicas: Type.Array(replica),
})

const storageStatus = named('StorageStatus', {
  bytes: { ...bytes, description: 'Size of the database.' },
  retention: named('Retention', {
    eventDays: Type.Integer({ description: '`EVENT_RETENTION_DAYS`' }),
    requestLogDays: Type.Integer({ description: 'How many days requests are listed.' }),
  }),
  tables: Type.Array(
    named('TableSize', {
      name: Type.String(),
      bytes,
      rows: nullable(Type.Integer({ description: 'PostgreSQL’s estimate; null before its first analysis.' })),
      partitions: count,
    }),
    { description: 'Largest first.' },
  ),
  partitions: Type.Array(
    named('PartitionSize', {
      table: Type.String(),
      from: nullable({ ...isoTime, description: 'Null for rows that belong to no week.' }),
      to: nullable(isoTime),
      bytes,
      rows: nullable(Type.Integer()),
    }),
  ),
})

export type OperatorStatus = ServerCore & {
  /** Of this process, among the replicas. */
  instanceId: string
  /** Asks the provider at most once in five seconds. */
  readProviderStatus(): Promise<ProviderStatus>
}

const { read } = operatorOperations<OperatorStatus>()

export const operatorStatusOperations = [
  read('GET /v0/customers/:customerId/stats', {
    id: 'getCustomerStats',
    summary: 'Read the statistics of a business',
    description: 'Returns the same as `GET /v0/stats` of the business.',
    query: statsQuery,
    data: stats,
    errors: ['customer_not_found'],
    run: async ({ deps, params, query }) => {
      const { id } = await getAnyBusiness(deps, params.customerId)
      return await readStats(deps, { id }, query)
    },
  }),

  read('GET /v0/operator/provider', {
    id: 'getProviderStatus',
    summary: 'Read the status of the provider',
    data: providerStatus,
    run: ({ deps }) => deps.readProviderStatus(),
  }),

  read('GET /v0/operator/relay', {
    id: 'getRelayStatus',
    summary: 'Read the status of the relay',
    data: relayStatus,
    run: ({ deps }) => readRelayStatus(deps),
  }),

  read('GET /v0/operator/storage', {
    id: 'getStorageStatus',
    summary: 'Read the status of storage',
    data: storageStatus,
    run: ({ deps }) => readStorageStatus(deps),
  }),
]
