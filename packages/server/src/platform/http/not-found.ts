// Paths nobody serves, and methods a path does not take: 404 and 405 are told apart by asking the router itself.

import type { FastifyRequest } from 'fastify'
import { type ApiError, fail } from '../errors.ts'

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'] as const

export function notFoundError(request: FastifyRequest): ApiError {
  const allowed = methods.filter((method) => request.server.findRoute({ method, url: request.url }) !== null)
  if (allowed.length === 0) return fail('route_not_found')
  return fail('method_not_allowed', { headers: { allow: allowed.join(', ') } })
}
