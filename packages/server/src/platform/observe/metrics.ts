// Prometheus metrics. Labels are few and fixed: routes by pattern, never an identifier of a business or an end-user.

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { version } from '../version.ts'
import { lostLogLines } from './log.ts'

/** Metrics of this process. */
export const metrics = new Registry()
/** Metrics from the database: the same in each process. */
export const sharedMetrics = new Registry()
collectDefaultMetrics({ register: metrics, prefix: 'causeway_' })

const registers = [metrics]
const counter = <L extends string>(name: string, help: string, labelNames: L[] = []) =>
  new Counter({ name: `causeway_${name}`, help, labelNames, registers })
const gauge = <L extends string>(name: string, help: string, labelNames: L[] = []) =>
  new Gauge({ name: `causeway_${name}`, help, labelNames, registers })
const sharedGauge = <L extends string>(name: string, help: string, labelNames: L[] = []) =>
  new Gauge({ name: `causeway_${name}`, help, labelNames, registers: [sharedMetrics] })
const histogram = <L extends string>(name: string, help: string, buckets: number[], labelNames: L[] = []) =>
  new Histogram({ name: `causeway_${name}`, help, buckets, labelNames, registers })

export const httpRequests = counter('http_requests_total', 'HTTP requests by the status of the response.', [
  'method',
  'route',
  'status',
])
// Without the status, and with few buckets: each label set costs one line per bucket.
export const httpDuration = histogram(
  'http_request_duration_seconds',
  'Time from the first byte of a request to the last byte of its response.',
  [0.005, 0.025, 0.1, 0.25, 0.5, 1, 5, 30],
  ['method', 'route'],
)
export const unsharedLimits = counter(
  'rate_limits_unshared_total',
  'Uses of a limit that this process counted alone, because Redis was unavailable or too slow.',
)
export const requestsUnlogged = counter(
  'requests_unlogged_total',
  'Requests that are missing from the request log: too many at once, or the database was unavailable.',
)
export const upstreamDuration = histogram(
  'upstream_call_duration_seconds',
  'Time of a call to the provider, including its retry. `outcome`: `ok`, or how it failed.',
  [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  ['operation', 'outcome'],
)
export const upstreamLastCall = gauge(
  'upstream_last_call_timestamp_seconds',
  'When this process made its last call to the provider with this outcome. `outcome`: `ok`, or how it failed.',
  ['outcome'],
)
export const upstreamUnreadable = counter(
  'upstream_responses_unreadable_total',
  'Successful provider responses that cannot be read. `operation`: the call.',
  ['operation'],
)
export const eventsRefused = counter(
  'events_refused_total',
  'Provider events that were rejected because of their signature. `reason`: `missing`, `invalid`, `stale`.',
  ['reason'],
)
export const accountAnswersRefused = counter(
  'account_responses_refused_total',
  'Accounts in provider responses that differ from the request, or have no usable account number. `code`: the `failureCode`.',
  ['code'],
)
export const providerDuplicates = counter(
  'provider_duplicates_total',
  'Objects that a lost request and its retry created twice at the provider. The newer one was deactivated. `kind`: the operation.',
  ['kind'],
)
export const providerCustomersUnknown = counter(
  'provider_customers_unknown_total',
  'Times that the provider did not find three consecutive customers: PROVIDER_API_KEY belongs to another account.',
)
export const emailConflicts = counter(
  'email_conflicts_total',
  'Email addresses that the provider rejected because they belong to a customer of another business. `GET /v0/customers` has the count of each business.',
)
export const eventsAccepted = counter(
  'events_accepted_total',
  'Committed provider events. `outcome`: `queued`, `duplicate`, `noEndpoint`, `noOwner`.',
  ['outcome'],
)
export const intakeBatch = histogram(
  'intake_batch_events',
  'Events that were committed together.',
  [1, 2, 5, 10, 20, 50, 100, 200, 500],
)
export const attemptDuration = histogram(
  'delivery_attempt_duration_seconds',
  'Time of an attempt, from the connection to the end of the response. `outcome`: `delivered`, `2xx` to `5xx` for any other response, or the failure.',
  [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30],
  ['outcome'],
)
export const deliveriesEnded = counter(
  'deliveries_ended_total',
  'Ended deliveries. `status`: `delivered`, or `exhausted` after the last attempt.',
  ['status'],
)
export const databaseDuration = histogram(
  'database_call_duration_seconds',
  'Time of a database use, including the wait for a connection. `kind`: the pool or the kind of use.',
  [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
  ['kind'],
)
export const databaseUnderWay = gauge(
  'database_calls_in_progress',
  'Database uses in progress in this process, including those that wait for a connection.',
  ['kind'],
)
export const databaseConnectionsMax = gauge('database_connections_max', 'DATABASE_POOL_MAX of this process.')

/** Read from the database, so every process reports the same: take the maximum, not the sum. */
export const shared = {
  databaseUp: sharedGauge('database_up', '1 if the queues could be read from the database, else 0.'),
  deliveriesWaiting: sharedGauge('deliveries_waiting', 'Queued deliveries, counted up to 100,000.'),
  oldestDelivery: sharedGauge(
    'deliveries_oldest_waiting_seconds',
    'Age of the oldest queued delivery. `endpoint`: `open`, or `held` if it is paused or disabled.',
    ['endpoint'],
  ),
  endpoints: sharedGauge(
    'endpoints',
    'Webhook endpoints. `state`: `enabled`, `paused`, `disabled`; `failing`: enabled endpoints with an open circuit breaker.',
    ['state'],
  ),
  operationsUnknown: sharedGauge('operations_unknown', 'Provider operations with an unknown outcome.'),
  oldestOperation: sharedGauge(
    'operations_unknown_oldest_seconds',
    'Age of the oldest provider operation with an unknown outcome.',
  ),
  eventsUnrouted: sharedGauge('events_unrouted', 'Events with an owner or object that is not known yet.'),
  eventsAmbiguous: sharedGauge(
    'events_ambiguous',
    'Unrouted events that name several businesses, by a shared name or by IDs: no business receives them.',
  ),
  eventsQuarantined: sharedGauge('events_quarantined', 'Quarantined events, which could not be applied.'),
} as const

new Counter({
  name: 'causeway_log_lines_lost_total',
  help: 'Log lines that were not written: the reader of standard error is gone or too slow.',
  registers,
  collect() {
    this.reset()
    this.inc(lostLogLines())
  },
})

gauge('build_info', 'Always 1; the labels contain the versions.', ['version', 'node']).set(
  { version, node: process.version },
  1,
)
