// Error responses: catalogue entry, body and headers. Details of unexpected errors are never sent.

import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError, errorBody, fail, problemBody } from '../errors.ts'
import { requestIdHeader } from './app.ts'
import { pathParamCharsMax } from './limits.ts'
import { prefersHtml, prefersProblem } from './pages/accept.ts'
import { noSuchPage } from './pages/error-pages.ts'
import { sendDocument } from './pages/page.ts'

/** Sets the headers of every response, including errors. */
export function setCommonHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.header(requestIdHeader, request.id)
  reply.header('x-content-type-options', 'nosniff')
  if (/^\/(v0|console)/.test(request.url)) reply.header('cache-control', 'no-store')
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'] as const

/** Distinguishes an unknown path (404) from a method that the path does not support (405) by asking the router. */
export function notFoundError(request: FastifyRequest): ApiError {
  const allowed = methods.filter((method) => request.server.findRoute({ method, url: request.url }) !== null)
  if (allowed.length === 0) return fail('route_not_found')
  return fail('method_not_allowed', { headers: { allow: allowed.join(', ') } })
}

/** Responds with an error. The error handler of the server, also for failures before a route is found. */
export function sendError(thrown: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const error = toApiError(thrown, request)
  if (error.code === 'internal_error')
    request.server.log.error({ requestId: request.id, failure: loggable(thrown) }, 'unexpected error')
  if (!request.raw.complete && !request.raw.readableEnded) {
    reply.removeHeader('connection')
    request.server.dropBody(request.raw)
  }
  const text = becomeError(error, request, reply)
  const isPage = error.code === 'route_not_found' && prefersHtml(request.headers.accept)
  reply.send(isPage ? sendDocument(reply, 'Page not found · Causeway', noSuchPage()) : text)
}

/** Sets status and headers of an error. @returns its body */
export function becomeError(error: ApiError, request: FastifyRequest, reply: FastifyReply): string {
  request.errorCode = error.code
  setCommonHeaders(request, reply)
  reply.code(error.status).headers(headersOf(error, request))
  reply.type(isProblem(request) ? 'application/problem+json' : 'application/json; charset=utf-8')
  return errorText(error, request)
}

const isProblem = (request: FastifyRequest): boolean => prefersProblem(request.headers.accept)

/** Renders the body of an error for this request. */
export function errorText(error: ApiError, request: FastifyRequest): string {
  const context = { requestId: request.id, docsUrl: `${request.server.origin}/docs` }
  return JSON.stringify(isProblem(request) ? problemBody(error, context) : errorBody(error, context))
}

/** Maps Fastify's own errors to the catalogue. Any other error is a bug in Causeway. */
function toApiError(thrown: unknown, request: FastifyRequest): ApiError {
  if (thrown instanceof ApiError) return thrown
  const code = thrown instanceof Error ? (thrown as Partial<FastifyError>).code : undefined
  switch (code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return fail('unsupported_media_type')
    case 'FST_ERR_BAD_URL':
      return fail('invalid_path', { message: 'The path has an invalid percent-encoding.' })
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return fail('invalid_path', { message: `A path parameter has more than ${pathParamCharsMax} characters.` })
    // The caller disconnected while sending its body. Nobody reads the response, and the server is not at fault.
    case 'ECONNRESET':
      if (!request.raw.complete) return fail('invalid_json', { message: 'The body is incomplete.' })
  }
  return fail('internal_error', { cause: thrown })
}

function headersOf(error: ApiError, request: FastifyRequest): Record<string, string> {
  const headers: Record<string, string> = { ...error.extra.headers }
  if (error.status === 401) headers['www-authenticate'] ??= 'Bearer'
  if (error.status === 415) headers['accept-post'] ??= acceptedBy(request)
  const wait = error.extra.retryAfterSeconds
  if (error.status === 429 || error.status === 503) headers['retry-after'] = String(wait ?? spreadWait(request.id))
  else if (wait !== undefined) headers['retry-after'] = String(wait)
  return headers
}

function acceptedBy({ routeOptions }: FastifyRequest): string {
  return routeOptions.config.multipart ? 'application/json, multipart/form-data' : 'application/json'
}

/** 1 to 5 seconds, so that callers rejected together do not retry together. */
function spreadWait(requestId: string): number {
  return 1 + ((requestId.codePointAt(requestId.length - 1) ?? 0) % 5)
}

/** Picks name, stack position and causes of an error. Other members may contain the caller's data. */
function loggable(thrown: unknown, depth = 0): object {
  if (!(thrown instanceof Error)) return { type: typeof thrown }
  const { name, message, stack, cause } = thrown
  const code = (thrown as { code?: unknown }).code
  return {
    type: name,
    message,
    stack,
    ...(typeof code === 'string' && { code }),
    ...(cause !== undefined && depth < 5 && { cause: loggable(cause, depth + 1) }),
  }
}
