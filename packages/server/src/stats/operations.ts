// Statistics of a business, for charts and a first look in the morning.

import { Type } from 'typebox'
import { status as depositStatus } from '../deposits/schema.ts'
import type { Core } from '../platform/core.ts'
import { operationsOf } from '../platform/http/operation.ts'
import { closed, idOf, isoTime, named, nullable, oneOf } from '../platform/http/schema/schema.ts'
import { backlogMax, readStats, spansMax } from './service.ts'

const count = Type.Integer({ minimum: 0 })
const interval = oneOf('StatsInterval', ['hour', 'day'], { description: 'What is summed up; hours and days of UTC.' })
const begins = { ...isoTime, description: 'When the hour or day begins.' }

const countsByStatus = (description: string) =>
  Type.Object({
    total: count,
    byStatus: Type.Unsafe<Record<string, number>>({ type: 'object', additionalProperties: count, description }),
  })

const attempts = {
  attempts: Type.Integer({ description: 'Attempts begun in this time.' }),
  successRate: nullable(
    Type.Number({ description: 'The share of attempts that delivered: 0 to 1.', examples: [0.9983] }),
  ),
  p50Ms: nullable(
    Type.Integer({
      description:
        'Half of the attempts took at most so many milliseconds, rounded up to the next of 1, 1.5, 2, 3, 5, 7 times a power of ten.',
    }),
  ),
  p95Ms: nullable(Type.Integer({ description: 'The same of 95 in 100 attempts.' })),
}

const depositStats = named('DepositStats', {
  at: begins,
  status: depositStatus,
  currency: Type.String({ description: 'The currency paid in.', examples: ['usd'] }),
  count,
  volume: Type.Object(
    { value: Type.String({ examples: ['20000.00'] }), currency: Type.String({ examples: ['usd'] }) },
    { description: 'The sum of `grossAmount`; a deposit whose gross amount is not known counts as 0.' },
  ),
})

const endpointStats = named('EndpointStats', {
  webhookEndpointId: idOf('webhookEndpoint'),
  backlog: Type.Integer({ description: `Deliveries that wait now, counted up to ${backlogMax}.` }),
  ...attempts,
  history: Type.Array(named('DeliveryStats', { at: begins, ...attempts }), {
    description: 'Hours or days with attempts, the oldest first.',
  }),
})

export const stats = named('Stats', {
  from: { ...isoTime, description: 'When the first hour or day begins.' },
  to: { ...isoTime, description: 'When the last hour or day ends.' },
  interval,
  endUsers: countsByStatus('End-users as they stand now, by `kycStatus`; a status that nobody has is absent.'),
  virtualAccounts: countsByStatus('Accounts as they stand now, by `status`; a status that none has is absent.'),
  deposits: Type.Array(depositStats, {
    description: 'Deposits by the hour or day of their `createdAt`, the oldest first, and by their status now.',
  }),
  endpoints: Type.Array(endpointStats, { description: 'Webhook endpoints with what they answered.' }),
})

export const statsQuery = closed({
  from: Type.Optional(isoTime),
  to: Type.Optional({ ...isoTime, description: 'Default: now. Both ends are widened to whole hours or days.' }),
  interval: Type.Optional(interval),
})

const { read } = operationsOf<Core>('Statistics', 'events')

export const statsOperations = [
  read('GET /v0/stats', {
    id: 'getStats',
    summary: 'Read statistics',
    sdk: 'stats(query)',
    description: `End-users and virtual accounts by state, deposits by state and currency, deliveries by endpoint. The range has at most ${spansMax} hours or days; by default it is the last 30 days, or 24 hours. Deliveries are counted as long as their events are kept.`,
    query: statsQuery,
    data: stats,
    run: ({ deps, scope, query }) => readStats(deps, scope.business, query),
  }),
]
