// Shared by all HTTP files: the type of the server, its origin, request IDs, and how a route declares its callers.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest, FastifyTypeProvider, RawServerDefault } from 'fastify'
import type { Static, TSchema } from 'typebox'
import type { Core } from '../core.ts'
import type { ErrorCode } from '../errors.ts'
import { makeRequestId } from '../values/ids.ts'
import { type Actor, type Business, type Caller, operator, type Person, type Scope } from './caller.ts'
import type { CsvColumns } from './csv.ts'
import type { RateLimits } from './limits/rate-limit.ts'
import type { BodyLimits } from './limits.ts'
import type { RequestScope } from './scope.ts'

/**
 * Derives the types of handlers from their schemas: `request.body`, `request.params`, `request.query`, and the return
 * value.
 */
export interface SchemaTypes extends FastifyTypeProvider {
  validator: this['schema'] extends TSchema ? Static<this['schema']> : unknown
  serializer: this['schema'] extends TSchema ? Static<this['schema']> : unknown
}

export type App = FastifyInstance<RawServerDefault, IncomingMessage, ServerResponse, FastifyBaseLogger, SchemaTypes>

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Required on every route: a route without it fails at start-up. */
    auth: Caller
    /** The scope a business key must have. */
    scope?: Scope
    /** A staff member needs a recent sign-in at the issuer (`OIDC_FRESH_SIGN_IN_MINUTES`). */
    sensitive?: true
    /** Error codes that the route can return. */
    errors?: readonly ErrorCode[]
    /** The handler gets the raw bytes of the body (see `rawBodyOf`). */
    rawBody?: true
    /** Limits of the body, where headers and query decide. Default: `ordinaryBody`. */
    bodyLimits?: BodyLimits | ((request: FastifyRequest) => BodyLimits)
    /** The body may also come as `multipart/form-data` (see multipart-body.ts). */
    multipart?: true
    /** Waits for the provider to create a customer, so the lease on the idempotency key is longer. */
    createsCustomer?: true
    /** Honors an `Idempotency-Key`. Every write of a business does this without the setting. */
    idempotent?: true
    /** Describes the body without validating it. */
    describedBody?: TSchema
    /** The response is also available as CSV with these columns. */
    csv?: CsvColumns<never>
  }
  interface FastifySchema {
    operationId?: string
    tags?: readonly string[]
    summary?: string
    description?: string
    deprecated?: boolean
  }
  interface FastifyInstance {
    rateLimits: RateLimits
    /** The base URL for absolute links, without a trailing slash; empty when unknown. */
    origin: string
    /** Shutdown has begun: `/readyz` reports it, and each connection closes after its next response. */
    draining: boolean
    /** `close` was called: new requests get a 503 response. */
    closing: boolean
  }
  interface FastifyRequest {
    /** The business that calls; read by `businessOf`. */
    business: Business | null
    /** Checks again that the business may make this request. For long-running requests. */
    admitAgain: (() => Promise<void>) | null
    /** The operator's console session, if the request comes from the console. */
    operatorSession: { id: string; person: Person | null } | null
    /** The core for the business that calls; read by `coreOfRequest`. */
    core: Core | null
    /** The error code of the response, for the log line. */
    errorCode: ErrorCode | null
  }
}

/** Names the operator as the actor of this request. */
export function operatorOf({ id, operatorSession }: Pick<FastifyRequest, 'id' | 'operatorSession'>): Actor {
  if (operatorSession === null) return { ...operator, requestId: id }
  return { name: `${operator.name}/${operatorSession.id}`, requestId: id, person: operatorSession.person }
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
 * Reads the scope of this request.
 * @throws Error on a route without a business, or before the request has its turn, which is a bug
 */
export function scopeOf(request: Pick<FastifyRequest, 'business' | 'turn' | 'idempotencyKey'>): RequestScope {
  if (request.turn === null) throw new Error('this request has not begun')
  return { business: businessOf(request), held: request.idempotencyKey?.held ?? null, turn: request.turn }
}

export const requestIdHeader = 'x-request-id'

/** Chooses the request ID: the caller's own if it is safe in a log and a header, else a new one. */
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
 * Sets `app.origin` to `PUBLIC_URL`, or to the listening address (read once, because a closing server has none). Never
 * use the `Host` header: a shared cache could serve an attacker's host name to others.
 */
export function rememberOrigin(app: App, publicUrl: string | undefined): void {
  app.decorate('origin', publicUrl ?? '')
  app.addHook('onListen', (done) => {
    const origin = app.listeningOrigin
    if (publicUrl === undefined && !/\/(0\.0\.0\.0|\[::\]):/.test(origin)) app.origin = origin
    done()
  })
}
