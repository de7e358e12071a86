// Requests that are no well-formed HTTP, too slow or with too large headers. Most never become a request, but get our answer too.

import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Core } from '../core.ts'
import { type ApiError, errorBody, fail } from '../errors.ts'
import { makeRequestId } from '../values/ids.ts'
import { type App, requestIdHeader } from './app.ts'
import { isAnswering } from './limits/connections.ts'

/** Answers what Node could not parse, for fastify's `clientErrorHandler`. */
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

/** Answers a `CONNECT`, whose connection Node would close without a word. */
export function answerConnect(app: App, deps: Core, socket: Socket): void {
  const error = fail('method_not_allowed', { message: 'CONNECT is not taken: this is no proxy.' })
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
 * Finds what RFC 9112 has a server refuse and Node's parser lets pass, though a proxy in front may have read it another way: the
 * proxy may have judged the second credential, or routed by the second host.
 */
export function faultOfForm(request: IncomingMessage): ApiError | undefined {
  const { host = [], authorization = [], 'transfer-encoding': codings = ['chunked'] } = request.headersDistinct
  if (host.length > 1) return headerFault('Host', 'must not be sent twice.')
  if (host.length === 0 && request.httpVersion === '1.1') return headerFault('Host', 'is required.')
  if (authorization.length > 1) return headerFault('Authorization', 'must not be sent twice.')
  if (codings.join().toLowerCase() !== 'chunked')
    return headerFault('Transfer-Encoding', 'must be chunked where it is sent.')
  if (request.url === '*') return fail('invalid_path', { message: 'The path must begin with a slash.' })
  return undefined
}

function headerFault(param: string, rule: string): ApiError {
  const message = `${param} ${rule}`
  return fail('invalid_header', { message, details: [{ param, code: 'invalid_header', message }] })
}
