// One log line and one measurement for each request. Paths and queries may name people, so only the route is written.

import type { Log } from '../observe/log.ts'
import { httpDuration } from '../observe/metrics.ts'
import { traceIdOf } from '../observe/traces.ts'
import type { App } from './app.ts'

const quiet = new Set(['/healthz', '/readyz', '/metrics'])

export function logRequests(app: App, log: Log): void {
  app.decorateRequest('errorCode', null)
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'none'
    const { method, errorCode } = request
    const status = reply.statusCode
    const traceId = traceIdOf(request.headers['traceparent'])
    const ms = Math.round(reply.elapsedTime * 100) / 100
    httpDuration.observe({ method, route, status }, ms / 1000)
    const level = status >= 500 ? 'warn' : quiet.has(route) ? 'debug' : 'info'
    const trace = traceId === undefined ? '' : `,"traceId":"${traceId}"`
    const error = errorCode === null ? '' : `,"error":"${errorCode}"`
    const business = request.business === null ? '' : `,"businessId":"${request.business.id}"`
    // A caller's own request id is of letters, digits and `._-`; the rest are words of ours.
    log.line(
      level,
      `"requestId":"${request.id}","method":"${method}","route":"${route}","status":${status},"ms":${ms}${trace}${error}${business},"message":"request"`,
    )
    done()
  })
}
