// What the operator looks at in the morning: the provider, the relay, the storage, the figures of a business.

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
const seconds = Type.Integer({ minimum: 0, description: '0 where nothing waits.' })
const bytes = Type.Integer({ minimum: 0, examples: [8_192] })

const providerStatus = named('ProviderStatus', {
  kind: Type.String({ examples: ['sandbox'] }),
  url: Type.String(),
  reachable: Type.Boolean({
    description:
      'Whether it responded within three seconds, be it with a refusal or in a way that cannot be read: `problem` says which.',
  }),
  problem: nullable(oneOf('ProviderProblem', providerProblems, { description: 'How that call failed.' })),
  checkedAt: { ...isoTime, description: 'When it was asked: at most once in five seconds.' },
  tookMs: count,
  webhook: nullable(
    named('ProviderWebhookStatus', {
      url: Type.String(),
      status: Type.String({ description: 'Events come while it is `active`.' }),
    }),
  ),
  calls: named('ProviderCalls', {
    total: { ...count, description: 'Calls of the process that answers, since it started.' },
    failed: { ...count, description: 'Of those, the ones that the provider did not serve.' },
    byOutcome: Type.Unsafe<Record<string, number>>({ type: 'object', additionalProperties: count }),
    lastSuccessAt: nullable(isoTime),
    lastFailureAt: nullable(isoTime),
  }),
  signatureFailures: {
    ...count,
    description: 'Events that the process that answers refused for their signature, since it started.',
  },
  lastEventAt: nullable({
    ...isoTime,
    description: 'When the newest event of the provider came; null if it is not among the newest 1,000 events.',
  }),
  operationsUnknown: {
    ...count,
    description: 'Writes at the provider whose outcome is not known and asked for again.',
  },
  reconciliation: named('ReconciliationStatus', {
    failures: { ...count, description: 'Failed readings of the provider’s record in a row.' },
    nextAt: isoTime,
    rereadCoveredTo: nullable({ ...isoTime, description: 'When the last complete reading of every object began.' }),
    informationRequestsCoveredTo: nullable({
      ...isoTime,
      description: 'When the last complete reading of the provider’s requests for information began.',
    }),
    informationRequestsRefusedSince: nullable({
      ...isoTime,
      description:
        'The time since which the provider refuses to list its requests for information: the feature is not enabled, or the API key lacks the scope `rfi:read`. Null while the provider lists them.',
    }),
  }),
})

const lane = named('LaneStatus', {
  webhookEndpointId: idOf('webhookEndpoint'),
  customerId: idOf('business'),
  customerName: Type.String(),
  host: Type.String({ description: 'Of the address of the endpoint.' }),
  status: oneOf('WebhookEndpointStatus', ['enabled', 'paused', 'disabled']),
  waiting: { ...count, description: `Deliveries that wait, counted up to ${waitingCountedMax}.` },
  oldestAt: isoTime,
  failures: { ...count, description: 'Failed attempts in a row.' },
  failingSince: nullable(isoTime),
  replica: nullable(Type.String({ description: 'Who holds the lane; null where nobody does.' })),
})

const replica = named('Replica', {
  id: Type.String(),
  version: Type.String(),
  role: Type.String({ description: '`all`, `api` or `relay`.' }),
  startedAt: isoTime,
  aliveUntil: { ...isoTime, description: 'It counts as running until then, and says so anew each minute.' },
  lanes: { ...count, description: 'Lanes with waiting deliveries that it holds.' },
  isSelf: Type.Boolean({ description: 'Whether it has given this answer.' }),
})

const relayStatus = named('RelayStatus', {
  deliveriesWaiting: { ...count, description: `Counted up to ${countMax}, as are the others.` },
  oldestWaitingSeconds: seconds,
  oldestHeldSeconds: { ...seconds, description: 'The same of endpoints that are paused or disabled.' },
  operationsUnknown: count,
  oldestOperationSeconds: seconds,
  eventsWaiting: { ...count, description: 'Events whose owner or account is not known yet.' },
  eventsAmbiguous: { ...count, description: 'Of those, the ones that name several businesses.' },
  eventsQuarantined: count,
  endpoints: named('EndpointCounts', { enabled: count, paused: count, disabled: count, failing: count }),
  lanes: Type.Array(lane, { description: 'Lanes with waiting deliveries: up to 50, the longest wait first.' }),
  replicas: Type.Array(replica),
})

const storageStatus = named('StorageStatus', {
  bytes: { ...bytes, description: 'Of the database.' },
  retention: named('Retention', {
    eventDays: Type.Integer({ description: '`EVENT_RETENTION_DAYS`' }),
    requestLogDays: Type.Integer({ description: 'How long requests are listed.' }),
  }),
  tables: Type.Array(
    named('TableSize', {
      name: Type.String(),
      bytes,
      rows: nullable(Type.Integer({ description: 'As PostgreSQL believes; null before its first look.' })),
      partitions: count,
    }),
    { description: 'The largest first.' },
  ),
  partitions: Type.Array(
    named('PartitionSize', {
      table: Type.String(),
      from: nullable({ ...isoTime, description: 'Null of the rows that belong to no week of their own.' }),
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
    description: 'As the business reads them by `GET /v0/stats`.',
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
    summary: 'Read the provider’s health',
    data: providerStatus,
    run: ({ deps }) => deps.readProviderStatus(),
  }),

  read('GET /v0/operator/relay', {
    id: 'getRelayStatus',
    summary: 'Read what waits, and who works on it',
    data: relayStatus,
    run: ({ deps }) => readRelayStatus(deps),
  }),

  read('GET /v0/operator/storage', {
    id: 'getStorageStatus',
    summary: 'Read what is kept, and its size',
    data: storageStatus,
    run: ({ deps }) => readStorageStatus(deps),
  }),
]
