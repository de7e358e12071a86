// The trace of a request: begun with its first hook, entered again once its body is read, ended with its answer.

import type { FastifyRequest, preValidationHookHandler } from 'fastify'
import { beginRequest, type Facts, type OpenTrace, traceIdOf } from '../observe/traces.ts'
import type { Note } from './answered.ts'
import type { App } from './app.ts'

declare module 'fastify' {
  interface FastifyRequest {
    trace: OpenTrace | null
  }
}

/** @returns what ends it */
export function traceRequests(app: App): Note {
  app.decorateRequest('trace', null)
  app.addHook('onRequest', (request, _reply, done) => {
    request.trace = beginRequest(request, factsOf)
    if (request.trace) request.trace.within(done)
    else done()
  })
  // A body came in events of the connection, which know nothing of the request.
  app.addHook('onRoute', (route) => {
    if (route.method === 'GET' || route.method === 'HEAD') return
    const enterAgain: preValidationHookHandler = (request, _reply, done) => {
      if (request.trace) request.trace.within(done)
      else done()
    }
    route.preValidation = [enterAgain, ...[route.preValidation ?? []].flat()]
  })
  return (request, reply) => request.trace?.end({ status: reply.statusCode, error: request.errorCode ?? undefined })
}

function factsOf({ method, headers, routeOptions }: FastifyRequest): Facts {
  const traceparent = traceIdOf(headers['traceparent']) && String(headers['traceparent'])
  return { method, route: routeOptions.url ?? 'none', traceparent }
}
