// Requests that are no HTTP, too slow or with too large headers: they never become a request, but get our answer too.

import type { Socket } from 'node:net'
import type { Deps } from '../../app/context.ts'
import { type ApiError, errorBody, fail } from '../errors.ts'
import { makeId } from '../values/ids.ts'
import { type App, requestIdHeader } from './app.ts'
import { isAnswering } from './limits/pipelining.ts'

/** Answers what Node could not parse, for fastify's `clientErrorHandler`. */
export function answerClientError(app: App, deps: Deps, error: Error & { code?: string }, socket: Socket): void {
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
export function answerConnect(app: App, deps: Deps, socket: Socket): void {
  const error = fail('method_not_allowed', { message: 'CONNECT is not taken: this is no proxy.' })
  const headers = ['Allow: GET, HEAD, POST, PUT, PATCH, DELETE']
  refuse(app, deps, socket, { statusLine: '405 Method Not Allowed', error, headers })
}

type Refusal = { statusLine: string; error: ApiError; headers?: readonly string[]; cause?: string | undefined }

function refuse(app: App, deps: Deps, socket: Socket, { statusLine, error, headers = [], cause }: Refusal): void {
  const requestId = makeId('request', deps.randomBytes(16))
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
