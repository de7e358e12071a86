// What Prometheus reads. Labels are few and ours: routes by pattern, never an identifier of a business or a person.

import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client'

export const metrics = new Registry()

collectDefaultMetrics({ register: metrics, prefix: 'causeway_' })

export const httpDuration = new Histogram({
  name: 'causeway_http_request_duration_seconds',
  help: 'Time from the first byte of a request to the last of its answer.',
  labelNames: ['method', 'route', 'status'],
  buckets: [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  registers: [metrics],
})

export const unsharedLimits = new Counter({
  name: 'causeway_rate_limits_unshared_total',
  help: 'Uses that this process counted by itself, because Redis was away or too slow.',
  registers: [metrics],
})
