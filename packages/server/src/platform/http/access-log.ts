// Request logging: a log line, a measurement, and a trace that starts with the first hook. Paths and queries may
// contain personal data, so only the route is written.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Log } from '../observe/log.ts'
import { httpDuration, httpRequests } from '../observe/metrics.ts'
import { beginRequest, type Facts, type OpenTrace, traceIdOf } from '../observe/traces.ts'
import type { App } from './app.ts'

declare module 'fastify' {
  interface FastifyRequest {
    trace: OpenTrace | null
  }
}

const quiet = new Set(['/healthz', '/readyz', '/metrics'])

/** Writes one log line per request after its response is sent. */
export function logRequests(app: App, log: Log): void {
  app.decorateRequest('errorCode', null)
  app.addHook('onResponse', (request, reply, done) => {
    logRequest(log, request, reply)
    done()
  })
}

/** Writes the log line of a request. Called directly for requests that Fastify rejects before any hook runs. */
export function logRequest(log: Log, request: FastifyRequest, reply: FastifyReply): void {
  const { method, errorCode, business } = request
  const { statusCode: status } = reply
  const route = request.routeOptions.url ?? 'none'
  const ms = Math.round(reply.elapsedTime * 100) / 100
  httpRequests.inc({ method, route, status })
  httpDuration.observe({ method, route }, ms / 1000)
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

/** Publishes each request on the channel `causeway:request`, and keeps its context around the handlers. */
export function traceRequests(app: App): void {
  app.decorateRequest('trace', null)
  const enter = (request: FastifyRequest, _reply: FastifyReply, done: () => void): void => {
    if (request.trace) request.trace.within(done)
    else done()
  }
  app.addHook('onRequest', (request, reply, done) => {
    request.trace = beginRequest(request, factsOf)
    enter(request, reply, done)
  })
  // Body events come from the connection, which has no context of the request.
  app.addHook('preValidation', enter)
  app.addHook('onResponse', (request, reply, done) => {
    request.trace?.end({ status: reply.statusCode, error: request.errorCode ?? undefined })
    done()
  })
}

function factsOf({ method, headers, routeOptions }: FastifyRequest): Facts {
  const traceparent = traceIdOf(headers['traceparent']) && String(headers['traceparent'])
  return { method, route: routeOptions.url ?? 'none', traceparent }
}
