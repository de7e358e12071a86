// What every file of the edge shares: the type of the server, and how a route declares who may call it.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyBaseLogger, FastifyInstance, FastifyTypeProvider, RawServerDefault } from 'fastify'
import type { Static, TSchema } from 'typebox'
import type { Deps } from '../../app/context.ts'
import type { ErrorCode } from '../errors.ts'
import type { Business, Scope } from './caller.ts'
import type { RateLimits } from './limits/rate-limit.ts'
import type { BodyLimits } from './limits.ts'

/** Gives handlers the types of their schemas: `request.body`, `request.params`, `request.query`, and what they return. */
export interface SchemaTypes extends FastifyTypeProvider {
  validator: this['schema'] extends TSchema ? Static<this['schema']> : unknown
  serializer: this['schema'] extends TSchema ? Static<this['schema']> : unknown
}

export type App = FastifyInstance<RawServerDefault, IncomingMessage, ServerResponse, FastifyBaseLogger, SchemaTypes>

/** `business`: an API key. `operator`: the operator secret. `none`: anybody. */
export type AuthKind = 'business' | 'operator' | 'none'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Every route says it; one that does not fails at start-up. */
    auth: AuthKind
    /** The scope a business key must have. */
    scope?: Scope
    /** The handler gets the body as the bytes that came (see `rawBodyOf`). */
    rawBody?: true
    /** What the body may cost; `ordinaryBody` where a route says nothing. */
    bodyLimits?: BodyLimits
    /** The body may also come as `multipart/form-data` (see multipart-body.ts). */
    multipart?: true
    /** What the body looks like, where a schema does not judge it: described, but not validated here. */
    describedBody?: TSchema
  }
  interface FastifySchema {
    /** Not part of the described API. */
    hide?: boolean
    operationId?: string
    tags?: readonly string[]
    summary?: string
    description?: string
  }
  interface FastifyInstance {
    rateLimits: RateLimits
    /** Set when the end is near: not ready any more, and each connection ends with its next answer. */
    draining: boolean
    /** Set when `close` was called: new requests are sent elsewhere. */
    closing: boolean
  }
  interface FastifyRequest {
    /** Who calls; read it by `businessOf`. */
    business: Business | null
    /** What its services are handed; asked for by `depsOf`. */
    deps: (() => Deps) | null
    /** The error this request ended with, for its log line. */
    errorCode: ErrorCode | null
  }
}
