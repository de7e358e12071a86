// The trace of a request: begun with its first hook, entered again once its body is read, ended with its answer.

import type { FastifyRequest, preValidationHookHandler } from 'fastify'
import { beginRequest, type Facts, type OpenTrace, traceIdOf } from '../observe/traces.ts'
import type { App } from './app.ts'

declare module 'fastify' {
  interface FastifyRequest {
    trace: OpenTrace | null
  }
}

/** Publishes each request on the channel `causeway:request`, its context kept around the handlers. */
export function traceRequests(app: App): void {
  app.decorateRequest('trace', null)
  const enter: preValidationHookHandler = (request, _reply, done) => {
    if (request.trace) request.trace.within(done)
    else done()
  }
  app.addHook('onRequest', (request, _reply, done) => {
    request.trace = beginRequest(request, factsOf)
    if (request.trace) request.trace.within(done)
    else done()
  })
  // A body arrives in events of the connection, which know nothing of the request.
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
