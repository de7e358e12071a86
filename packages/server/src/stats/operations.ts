// Statistics of a business, for charts and an overview.

import { Type } from 'typebox'
import { status as depositStatus } from '../deposits/schema.ts'
import type { Core } from '../platform/core.ts'
import { operationsOf } from '../platform/http/operation.ts'
import { closed, idOf, isoTime, named, nullable, oneOf } from '../platform/http/schema/schema.ts'
import { backlogMax, readStats, spansMax } from './service.ts'

const count = Type.Integer({ minimum: 0 })
const interval = oneOf('StatsInterval', ['hour', 'day'], {
  description: 'The length of each interval: hours or days in UTC.',
})
const begins = { ...isoTime, description: 'The start of the hour or day.' }

const countsByStatus = (description: string) =>
  Type.Object({
    total: count,
    byStatus: Type.Unsafe<Record<string, number>>({ type: 'object', additionalProperties: count, description }),
  })

const attempts = {
  attempts: Type.Integer({ description: 'Attempts that started in this interval.' }),
  successRate: nullable(Type.Number({ description: 'The share of successful attempts: 0 to 1.', examples: [0.9983] })),
  p50Ms: nullable(
    Type.Integer({
      description:
        'The median duration of attempts in milliseconds, rounded up to the next of 1, 1.5, 2, 3, 5, 7 times a power of ten.',
    }),
  ),
  p95Ms: nullable(Type.Integer({ description: 'The 95th percentile of the duration, rounded in the same way.' })),
}

const depositStats = named('DepositStats', {
  at: begins,
  status: depositStatus,
  currency: Type.String({ description: 'The currency of the deposits.', examples: ['usd'] }),
  count,
  volume: Type.Object(
    { value: Type.String({ examples: ['20000.00'] }), currency: Type.String({ examples: ['usd'] }) },
    { description: 'The sum of `grossAmount`; a deposit with an unknown gross amount counts as 0.' },
  ),
})

const endpointStats = named('EndpointStats', {
  webhookEndpointId: idOf('webhookEndpoint'),
  backlog: Type.Integer({ description: `Queued deliveries, counted up to ${backlogMax}.` }),
  ...attempts,
  history: Type.Array(named('DeliveryStats', { at: begins, ...attempts }), {
    description: 'Hours or days with attempts, oldest first.',
  }),
})

export const stats = named('Stats', {
  from: { ...isoTime, description: 'The start of the first hour or day.' },
  to: { ...isoTime, description: 'The end of the last hour or day.' },
  interval,
  endUsers: countsByStatus('Current number of end-users by `kycStatus`; a status without end-users is absent.'),
  virtualAccounts: countsByStatus('Current number of accounts by `status`; a status without accounts is absent.'),
  deposits: Type.Array(depositStats, {
    description: 'Deposits by the hour or day of their `createdAt`, oldest first, and by their current status.',
  }),
  endpoints: Type.Array(endpointStats, { description: 'Webhook endpoints with their delivery results.' }),
})

export const statsQuery = closed({
  from: Type.Optional(isoTime),
  to: Type.Optional({ ...isoTime, description: 'Default: now. Both ends are extended to whole hours or days.' }),
  interval: Type.Optional(interval),
})

const { read } = operationsOf<Core>('Statistics', 'events')

export const statsOperations = [
  read('GET /v0/stats', {
    id: 'getStats',
    summary: 'Read statistics',
    sdk: 'stats(query)',
    description: `End-users and virtual accounts by status, deposits by status and currency, deliveries by endpoint. The range has at most ${spansMax} hours or days. Default: the last 30 days, or 24 hours. Deliveries are counted as long as their events are stored.`,
    query: statsQuery,
    data: stats,
    run: ({ deps, scope, query }) => readStats(deps, scope.business, query),
  }),
]
