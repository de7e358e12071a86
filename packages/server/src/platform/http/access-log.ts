// One log line and one measurement for each request. Paths and queries may name people, so only the route is written.

import type { FastifyRequest, onRequestHookHandler } from 'fastify'
import type { Log } from '../observe/log.ts'
import { httpDuration } from '../observe/metrics.ts'
import { redact } from '../observe/redaction.ts'
import { traceIdOf } from '../observe/traces.ts'
import type { Note } from './answered.ts'
import type { App } from './app.ts'
import { requestIdHeader } from './request-id.ts'

const quiet = new Set(['/healthz', '/readyz', '/metrics'])

declare module 'fastify' {
  interface FastifyRequest {
    /** Writes its line; null where it came to no route. */
    note: Note | null
  }
}

export function logRequests(app: App, log: Log): Note {
  app.decorateRequest('errorCode', null)
  app.decorateRequest('note', null)
  // For Fastify's own warnings. Handed over as an option it would be asked for a child by each request, and listen to the end of
  // each answer: our lines name their request by themselves.
  app.log = log
  app.addHook('onRequest', (request, reply, done) => {
    request.log = log
    reply.log = log
    done()
  })
  // A hook of each route, which knows the route: a request that is asked for it puts together all there is to say of its route.
  app.addHook('onRoute', (route) => {
    const note = noteOf(route.url, log)
    const bringNote: onRequestHookHandler = (request, _reply, done) => {
      request.note = note
      done()
    }
    route.onRequest = [bringNote, ...[route.onRequest ?? []].flat()]
  })
  const noteUnrouted = noteOf('none', log)
  return (request, reply, ms) => (request.note ?? noteUnrouted)(request, reply, ms)
}

/** What requests of a route have in common that came by the same method and ended with the same status. */
type Kind = {
  method: string
  status: number
  level: 'debug' | 'info' | 'warn'
  observe: (seconds: number) => void
  members: string
}

function noteOf(route: string, log: Log): Note {
  const kinds = new Map<string, Map<number, Kind>>()
  return (request, reply, exactMs) => {
    const { method } = request
    const status = reply.statusCode
    const kind = kinds.get(method)?.get(status) ?? remember(kinds, kindOf(method, route, status))
    const ms = Math.round(exactMs * 100) / 100
    kind.observe(ms / 1000)
    // What a caller may choose are its id, of letters, digits and `._-`, and the trace's. The rest are words of ours.
    log.line(kind.level, `"requestId":"${idOf(request)}${kind.members}${ms}${detailsOf(request)}`)
  }
}

function kindOf(method: string, route: string, status: number): Kind {
  return {
    method,
    status,
    level: status >= 500 ? 'warn' : quiet.has(route) ? 'debug' : 'info',
    observe: httpDuration.labels({ method, route, status }).observe,
    members: `","method":"${method}","route":"${route}","status":${status},"ms":`,
  }
}

function remember(kinds: Map<string, Map<number, Kind>>, kind: Kind): Kind {
  const ofMethod = kinds.get(kind.method) ?? new Map<number, Kind>()
  kinds.set(kind.method, ofMethod.set(kind.status, kind))
  return kind
}

function idOf(request: FastifyRequest): string {
  return request.headers[requestIdHeader] === undefined ? request.id : redact(request.id)
}

function detailsOf({ headers, errorCode, business }: FastifyRequest): string {
  const traceId = traceIdOf(headers['traceparent'])
  const trace = traceId === undefined ? '' : `,"traceId":"${redact(traceId)}"`
  const error = errorCode === null ? '' : `,"error":"${errorCode}"`
  return `${trace}${error}${business === null ? '' : `,"businessId":"${business.id}"`},"message":"request"`
}
