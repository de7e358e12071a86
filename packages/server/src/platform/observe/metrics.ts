// What Prometheus reads. Labels are few and ours: routes by pattern, never an identifier of a business or a person.

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { version } from '../version.ts'
import { lostLogLines } from './log.ts'

/** What a process measures of itself. */
export const metrics = new Registry()
/** What is read from the database: the same in each process. */
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
// Without the status, and with few buckets: each label set costs one line a bucket.
export const httpDuration = histogram(
  'http_request_duration_seconds',
  'Time from the first byte of a request to the last of its answer.',
  [0.005, 0.025, 0.1, 0.25, 0.5, 1, 5, 30],
  ['method', 'route'],
)
export const unsharedLimits = counter(
  'rate_limits_unshared_total',
  'Uses of a limit that this process counted by itself, because Redis was away or too slow.',
)
export const requestsUnlogged = counter(
  'requests_unlogged_total',
  'Requests that are missing from the log of requests: too many at once, or the database was away.',
)
export const upstreamDuration = histogram(
  'upstream_call_duration_seconds',
  'Time of a call to the provider, its repeat included. `outcome`: `ok`, or how it failed.',
  [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  ['operation', 'outcome'],
)
export const upstreamLastCall = gauge(
  'upstream_last_call_timestamp_seconds',
  'When this process made its last call to the provider that ended so. `outcome`: `ok`, or how it failed.',
  ['outcome'],
)
export const upstreamUnreadable = counter(
  'upstream_responses_unreadable_total',
  'Successful responses of the provider that cannot be read. `operation`: the call.',
  ['operation'],
)
export const eventsRefused = counter(
  'events_refused_total',
  'Events of the provider that were refused for their signature. `reason`: `missing`, `invalid`, `stale`.',
  ['reason'],
)
export const accountAnswersRefused = counter(
  'account_answers_refused_total',
  'Accounts in responses of the provider that are not what was asked for, or have no usable number to pay to. `code`: the `failureCode`.',
  ['code'],
)
export const providerDuplicates = counter(
  'provider_duplicates_total',
  'Objects that a lost request and its repeat created twice at the provider. The younger one was switched off. `kind`: the operation.',
  ['kind'],
)
export const providerCustomersUnknown = counter(
  'provider_customers_unknown_total',
  'Times that three of our customers in a row were unknown to the provider: PROVIDER_API_KEY is of another account.',
)
export const emailConflicts = counter(
  'email_conflicts_total',
  'Email addresses that the provider refused because they belong to a customer of another business. `GET /v0/customers` has the count of each business.',
)
export const eventsAccepted = counter(
  'events_accepted_total',
  'Events of the provider that were committed. `outcome`: `queued`, `duplicate`, `noEndpoint`, `noOwner`.',
  ['outcome'],
)
export const intakeBatch = histogram(
  'intake_batch_events',
  'Events that were committed together.',
  [1, 2, 5, 10, 20, 50, 100, 200, 500],
)
export const attemptDuration = histogram(
  'delivery_attempt_duration_seconds',
  'Time of an attempt, from the connection to the end of the answer. `outcome`: `delivered`, `2xx` to `5xx` for an answer that is none, or the failure.',
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
  'Time of a use of the database, the wait for a connection included. `kind`: the pool or the kind of use.',
  [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
  ['kind'],
)
export const databaseUnderWay = gauge(
  'database_calls_under_way',
  'Uses of the database that are under way in this process, those that wait for a connection included.',
  ['kind'],
)
export const databaseConnectionsMax = gauge('database_connections_max', 'DATABASE_POOL_MAX of this process.')

/** Read from the database, so every process reports the same: take the maximum, not the sum. */
export const shared = {
  databaseUp: sharedGauge('database_up', '1 when the waiting work could be read from the database, else 0.'),
  deliveriesWaiting: sharedGauge('deliveries_waiting', 'Waiting deliveries, counted up to 100,000.'),
  oldestDelivery: sharedGauge(
    'deliveries_oldest_waiting_seconds',
    'Age of the oldest waiting delivery. `endpoint`: `open`, or `held` when it is paused or disabled.',
    ['endpoint'],
  ),
  endpoints: sharedGauge(
    'endpoints',
    'Webhook endpoints. `state`: `enabled`, `paused`, `disabled`; `failing`: those enabled whose breaker is open.',
    ['state'],
  ),
  operationsUnknown: sharedGauge('operations_unknown', 'Operations at the provider whose outcome is not known.'),
  oldestOperation: sharedGauge(
    'operations_unknown_oldest_seconds',
    'Age of the oldest operation whose outcome is not known.',
  ),
  eventsUnrouted: sharedGauge('events_unrouted', 'Events whose owner or object is not known yet.'),
  eventsAmbiguous: sharedGauge(
    'events_ambiguous',
    'Unrouted events that name several businesses, by a shared name or by ids: no business receives them.',
  ),
  eventsQuarantined: sharedGauge('events_quarantined', 'Events that could not be applied and were put aside.'),
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

gauge('build_info', 'Always 1; the labels say what runs.', ['version', 'node']).set(
  { version, node: process.version },
  1,
)
