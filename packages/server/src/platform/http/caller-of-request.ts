// Who makes a request, and what its services get handed: for handlers, after authentication.

import type { FastifyRequest } from 'fastify'
import type { Deps } from '../../app/context.ts'
import type { Business } from './caller.ts'
import { type Actor, operator } from './caller.ts'

/** The operator, as the one who makes this request. */
export function operatorOf(request: Pick<FastifyRequest, 'id'>): Actor {
  return { ...operator, requestId: request.id }
}

/** The business that calls. For routes with `auth: 'business'` only: elsewhere there is none, and asking is a bug. */
export function businessOf(request: Pick<FastifyRequest, 'business'>): Business {
  if (request.business === null) throw new Error('this route does not authenticate a business')
  return request.business
}

/** What a service needs for the business that calls. For routes with `auth: 'business'` only. */
export function depsOf(request: Pick<FastifyRequest, 'deps'>): Deps {
  if (request.deps === null) throw new Error('this route does not authenticate a business')
  return request.deps()
}
