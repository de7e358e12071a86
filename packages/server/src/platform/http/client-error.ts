// Responds to requests that are malformed HTTP, too slow, or have too large headers. Most of them never reach Fastify.

import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Core } from '../core.ts'
import { type ApiError, errorBody, fail } from '../errors.ts'
import { makeRequestId } from '../values/ids.ts'
import { type App, requestIdHeader } from './app.ts'
import { isAnswering } from './limits/connections.ts'

/** Responds to input that Node could not parse, for Fastify's `clientErrorHandler`. */
export function answerClientError(app: App, deps: Core, error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable || isAnswering(socket)) {
    socket.destroy()
    return
  }
  const [statusLine, message] = refusalByCode[error.code ?? ''] ?? notHttp
  refuse(app, deps, socket, { statusLine, error: fail('invalid_header', { message }), cause: error.code })
}

const notHttp = ['400 Bad Request', 'The request is not well-formed HTTP.'] as const
const refusalByCode: Readonly<Record<string, readonly [statusLine: string, message: string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The headers are larger than 16 KiB.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not arrive in time.'],
}

/** Responds to a `CONNECT`. Node would close the connection without a response. */
export function answerConnect(app: App, deps: Core, socket: Socket): void {
  const error = fail('method_not_allowed', { message: 'CONNECT is not supported: this server is not a proxy.' })
  const headers = ['Allow: GET, HEAD, POST, PUT, PATCH, DELETE']
  refuse(app, deps, socket, { statusLine: '405 Method Not Allowed', error, headers })
}

type Refusal = { statusLine: string; error: ApiError; headers?: readonly string[]; cause?: string | undefined }

function refuse(app: App, deps: Core, socket: Socket, { statusLine, error, headers = [], cause }: Refusal): void {
  const requestId = makeRequestId(deps.now(), deps.randomBytes(10))
  const body = JSON.stringify(errorBody(error, { requestId, docsUrl: `${app.origin}/docs` }))
  deps.log.info({ requestId, status: Number.parseInt(statusLine, 10), error: cause ?? error.code }, 'request refused')
  const head = [
    `HTTP/1.1 ${statusLine}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `${requestIdHeader}: ${requestId}`,
    'X-Content-Type-Options: nosniff',
    'Cache-Control: no-store',
    'Connection: close',
    ...headers,
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroySoon())
}

/**
 * Finds requests that RFC 9112 requires a server to reject, but Node's parser accepts. A proxy in front may have read
 * them differently: it may have checked the second credential, or routed by the second host.
 */
export function faultOfForm(request: IncomingMessage): ApiError | undefined {
  const { host = [], authorization = [], 'transfer-encoding': codings = ['chunked'] } = request.headersDistinct
  if (host.length > 1) return headerFault('Host', 'must not be sent twice.')
  if (host.length === 0 && request.httpVersion === '1.1') return headerFault('Host', 'is required.')
  if (authorization.length > 1) return headerFault('Authorization', 'must not be sent twice.')
  if (codings.join().toLowerCase() !== 'chunked') return headerFault('Transfer-Encoding', 'must be chunked.')
  if (request.url === '*') return fail('invalid_path', { message: 'The path must begin with a slash.' })
  return undefined
}

function headerFault(param: string, rule: string): ApiError {
  const message = `${param} ${rule}`
  return fail('invalid_header', { message, details: [{ param, code: 'invalid_header', message }] })
}
