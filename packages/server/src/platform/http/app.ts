// What every file of the edge shares: the type of the server, its address, ids of requests, and how a route declares who may call it.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest, FastifyTypeProvider, RawServerDefault } from 'fastify'
import type { Static, TSchema } from 'typebox'
import type { Core } from '../core.ts'
import type { ErrorCode } from '../errors.ts'
import { makeRequestId } from '../values/ids.ts'
import { type Actor, type Business, type Caller, operator, type Scope } from './caller.ts'
import type { CsvColumns } from './csv.ts'
import type { RateLimits } from './limits/rate-limit.ts'
import type { BodyLimits } from './limits.ts'
import type { RequestScope } from './scope.ts'

/** Gives handlers the types of their schemas: `request.body`, `request.params`, `request.query`, and what they return. */
export interface SchemaTypes extends FastifyTypeProvider {
  validator: this['schema'] extends TSchema ? Static<this['schema']> : unknown
  serializer: this['schema'] extends TSchema ? Static<this['schema']> : unknown
}

export type App = FastifyInstance<RawServerDefault, IncomingMessage, ServerResponse, FastifyBaseLogger, SchemaTypes>

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Every route says it; one that does not fails at start-up. */
    auth: Caller
    /** The scope a business key must have. */
    scope?: Scope
    /** Codes of the catalogue that its work can end with. */
    errors?: readonly ErrorCode[]
    /** The handler gets the body as the bytes that came (see `rawBodyOf`). */
    rawBody?: true
    /** What the body may cost, where the request decides it by its headers and query; `ordinaryBody` where a route says nothing. */
    bodyLimits?: BodyLimits | ((request: FastifyRequest) => BodyLimits)
    /** The body may also come as `multipart/form-data` (see multipart-body.ts). */
    multipart?: true
    /** Waits at the provider for the creation of a customer: its idempotency key is leased for longer. */
    createsCustomer?: true
    /** Honors an `Idempotency-Key`. Every write of a business does so without this setting. */
    idempotent?: true
    /** What the body looks like, where a schema does not judge it: described, but not validated here. */
    describedBody?: TSchema
    /** The answer also comes as CSV, in these columns. */
    csv?: CsvColumns<never>
  }
  interface FastifySchema {
    operationId?: string
    tags?: readonly string[]
    summary?: string
    description?: string
  }
  interface FastifyInstance {
    rateLimits: RateLimits
    /** The address of this service for absolute links, without a trailing slash; empty where it is not known. */
    origin: string
    /** Shutdown has begun: `/readyz` says so, and each connection ends with its next answer. */
    draining: boolean
    /** `close` was called: new requests are answered 503. */
    closing: boolean
  }
  interface FastifyRequest {
    /** The business that calls; read by `businessOf`. */
    business: Business | null
    /** Checks once more that the business may make this request: for one that goes on for long. */
    admitAgain: (() => Promise<void>) | null
    /** The id of the operator's session in the console, where it makes this request. */
    operatorSession: string | null
    /** The core for the business that calls; read by `coreOfRequest`. */
    core: Core | null
    /** The error this request ended with, for its log line. */
    errorCode: ErrorCode | null
  }
}

/** Names the operator as the actor of this request. */
export function operatorOf({ id, operatorSession }: Pick<FastifyRequest, 'id' | 'operatorSession'>): Actor {
  return { name: operatorSession === null ? operator.name : `${operator.name}/${operatorSession}`, requestId: id }
}

/**
 * Reads the business that calls.
 * @throws Error on a route without `auth: 'business'`, which is a bug
 */
export function businessOf(request: Pick<FastifyRequest, 'business'>): Business {
  if (request.business === null) throw new Error('this route does not authenticate a business')
  return request.business
}

/**
 * Reads the core for the business that calls.
 * @throws Error on a route without a business, which is a bug
 */
export function coreOfRequest({ core }: Pick<FastifyRequest, 'core'>): Core {
  if (core === null) throw new Error('this route does not authenticate a business')
  return core
}

/**
 * Reads what belongs to this request.
 * @throws Error on a route without a business, or before the turn of the request, which is a bug
 */
export function scopeOf(request: Pick<FastifyRequest, 'business' | 'turn' | 'idempotencyKey'>): RequestScope {
  if (request.turn === null) throw new Error('this request has not begun')
  return { business: businessOf(request), held: request.idempotencyKey?.held ?? null, turn: request.turn }
}

export const requestIdHeader = 'x-request-id'

/** Makes the id of a request: the caller's own when it is harmless in a log and a header, else one of ours. */
export function requestIds({
  now,
  randomBytes,
}: Pick<Core, 'now' | 'randomBytes'>): (request: Pick<IncomingMessage, 'headers'>) => string {
  return ({ headers }) => {
    const given = headers[requestIdHeader]
    if (typeof given === 'string' && /^[A-Za-z0-9._-]{1,128}$/.test(given)) return given
    return makeRequestId(now(), randomBytes(10))
  }
}

/**
 * Sets `app.origin`: `PUBLIC_URL`, else the address it listens on, which a server that is being closed does not know any more.
 * `Host` is never repeated: a cache in front could keep a caller's text for others.
 */
export function rememberOrigin(app: App, publicUrl: string | undefined): void {
  app.decorate('origin', publicUrl ?? '')
  app.addHook('onListen', (done) => {
    const origin = app.listeningOrigin
    if (publicUrl === undefined && !/\/(0\.0\.0\.0|\[::\]):/.test(origin)) app.origin = origin
    done()
  })
}
