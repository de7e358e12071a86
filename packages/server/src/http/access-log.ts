// One log line and one measurement for each request. Paths and queries may name people, so only the route is written.

import { httpDuration } from '../observe/metrics.ts'
import { traceIdOf } from '../observe/traces.ts'
import type { App } from './app.ts'

const quiet = new Set(['/healthz', '/readyz', '/metrics'])

export function logRequests(app: App): void {
  app.decorateRequest('errorCode', null)
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'none'
    const { method, errorCode } = request
    const status = reply.statusCode
    const traceId = traceIdOf(request.headers['traceparent'])
    const ms = Math.round(reply.elapsedTime * 100) / 100
    httpDuration.observe({ method, route, status }, ms / 1000)
    const level = status >= 500 ? 'warn' : quiet.has(route) ? 'debug' : 'info'
    app.log[level](
      {
        requestId: request.id,
        method,
        route,
        status,
        ms,
        ...(traceId !== undefined && { traceId }),
        ...(errorCode !== null && { error: errorCode }),
        ...(request.business !== null && { businessId: request.business.id }),
      },
      'request',
    )
    done()
  })
}
