// What Prometheus reads. Labels are few and ours: routes by pattern, never an identifier of a business or a person.

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { version } from '../version.ts'
import { lostLogLines } from './log.ts'

export const metrics = new Registry()
const registers = [metrics]

collectDefaultMetrics({ register: metrics, prefix: 'causeway_' })

export const httpDuration = new Histogram({
  name: 'causeway_http_request_duration_seconds',
  help: 'Time from the first byte of a request to the last of its answer.',
  labelNames: ['method', 'route', 'status'],
  buckets: [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  registers,
})

export const unsharedLimits = new Counter({
  name: 'causeway_rate_limits_unshared_total',
  help: 'Uses of a limit that this process counted by itself, because Redis was away or too slow.',
  registers,
})

export const upstreamDuration = new Histogram({
  name: 'causeway_upstream_call_duration_seconds',
  help: 'Time of a call to the provider, its repeat included. `outcome`: `ok`, or how it failed.',
  labelNames: ['operation', 'outcome'],
  buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  registers,
})

export const accountAnswersRefused = new Counter({
  name: 'causeway_account_answers_refused_total',
  help: 'Answers of the provider that name another currency or destination than was asked for, or no number to pay to. `code`: which.',
  labelNames: ['code'],
  registers,
})

export const providerCustomersUnknown = new Counter({
  name: 'causeway_provider_customers_unknown_total',
  help: 'Times that three of our customers in a row were unknown to the provider: PROVIDER_API_KEY is of another account.',
  registers,
})

export const eventsAccepted = new Counter({
  name: 'causeway_events_accepted_total',
  help: 'Events of the provider that were committed. `outcome`: `queued`, `duplicate`, `noEndpoint`, `noOwner`.',
  labelNames: ['outcome'],
  registers,
})

export const intakeBatch = new Histogram({
  name: 'causeway_intake_batch_events',
  help: 'Events that were committed together.',
  buckets: [1, 2, 5, 10, 20, 50, 100, 200, 500],
  registers,
})

export const attemptDuration = new Histogram({
  name: 'causeway_delivery_attempt_duration_seconds',
  help: 'Time of an attempt, from the connection to the end of the answer. `outcome`: `delivered`, `2xx` to `5xx` for an answer that is none, or the failure.',
  labelNames: ['outcome'],
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30],
  registers,
})

export const deliveriesEnded = new Counter({
  name: 'causeway_deliveries_ended_total',
  help: 'Ended deliveries. `status`: `delivered`, or `exhausted` after the last attempt.',
  labelNames: ['status'],
  registers,
})

export const databaseDuration = new Histogram({
  name: 'causeway_database_call_duration_seconds',
  help: 'Time of a use of the database, the wait for a connection included. `kind`: the pool or the kind of use.',
  labelNames: ['kind'],
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
  registers,
})

export const databaseUnderWay = new Gauge({
  name: 'causeway_database_calls_under_way',
  help: 'Uses of the database that are under way in this process, those that wait for a connection included.',
  labelNames: ['kind'],
  registers,
})

export const databaseConnectionsMax = new Gauge({
  name: 'causeway_database_connections_max',
  help: 'DATABASE_POOL_MAX of this process.',
  registers,
})

const gauge = (name: string, help: string, labelNames: string[] = []) =>
  new Gauge({ name: `causeway_${name}`, help, labelNames, registers })

/** Read from the database, so every process reports the same: take the maximum, not the sum. */
export const shared = {
  databaseUp: gauge('database_up', '1 when the waiting work could be read from the database, else 0.'),
  deliveriesWaiting: gauge('deliveries_waiting', 'Waiting deliveries, counted up to 100,000.'),
  oldestDelivery: gauge(
    'deliveries_oldest_waiting_seconds',
    'Age of the oldest waiting delivery. `endpoint`: `open`, or `held` when it is paused or disabled.',
    ['endpoint'],
  ),
  endpoints: gauge(
    'endpoints',
    'Webhook endpoints. `state`: `enabled`, `paused`, `disabled`; `failing`: those enabled whose breaker is open.',
    ['state'],
  ),
  operationsUnknown: gauge('operations_unknown', 'Operations at the provider whose outcome is not known.'),
  oldestOperation: gauge(
    'operations_unknown_oldest_seconds',
    'Age of the oldest operation whose outcome is not known.',
  ),
  eventsUnrouted: gauge('events_unrouted', 'Events whose owner or object is not known yet.'),
  eventsAmbiguous: gauge(
    'events_ambiguous',
    'Unrouted events that name several businesses, by a shared name or by ids: no business receives them.',
  ),
  eventsQuarantined: gauge('events_quarantined', 'Events that could not be applied and were put aside.'),
} as const

new Counter({
  name: 'causeway_log_lines_lost_total',
  help: 'Log lines that could not be written: the reader of standard error is gone or too slow.',
  registers,
  collect() {
    this.reset()
    this.inc(lostLogLines())
  },
})

new Gauge({
  name: 'causeway_build_info',
  help: 'Always 1; the labels say what runs.',
  labelNames: ['version', 'node'],
  registers,
}).set({ version, node: process.version }, 1)
