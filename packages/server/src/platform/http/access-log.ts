// One log line and one measurement for each request. Paths and queries may name people, so only the route is written.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Log } from '../observe/log.ts'
import { httpDuration } from '../observe/metrics.ts'
import { traceIdOf } from '../observe/traces.ts'
import type { App } from './app.ts'

const quiet = new Set(['/healthz', '/readyz', '/metrics'])

/** Writes the line of each request once its answer has gone out. */
export function logRequests(app: App, log: Log): void {
  app.decorateRequest('errorCode', null)
  app.addHook('onResponse', (request, reply, done) => {
    logRequest(log, request, reply)
    done()
  })
}

/** Writes the line of a request; called directly for one that Fastify refuses before any hook runs. */
export function logRequest(log: Log, request: FastifyRequest, reply: FastifyReply): void {
  const { method, errorCode, business } = request
  const { statusCode: status } = reply
  const route = request.routeOptions.url ?? 'none'
  const ms = Math.round(reply.elapsedTime * 100) / 100
  httpDuration.observe({ method, route, status }, ms / 1000)
  const traceId = traceIdOf(request.headers['traceparent'])
  const level = status >= 500 ? 'warn' : quiet.has(route) ? 'debug' : 'info'
  log[level](
    {
      requestId: request.id,
      method,
      route,
      status,
      ms,
      ...(traceId !== undefined && { traceId }),
      ...(errorCode && { error: errorCode }),
      ...(business && { businessId: business.id }),
    },
    'request',
  )
}
