// Requests that are no HTTP, too slow or with too large headers: they never become a request, but get our answer too.

import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Deps } from '../../app/context.ts'
import { type ApiError, errorBody, fail } from '../errors.ts'
import { makeId } from '../values/ids.ts'
import type { App } from './app.ts'
import { requestIdHeader } from './request-id.ts'

/** For fastify's `clientErrorHandler`. */
export function answerClientError(app: App, deps: Deps, error: Error & { code?: string }, socket: Socket): void {
  // Nobody is there any more, or another answer is half written. Node itself knows the latter by this member only.
  const current = (socket as Socket & { _httpMessage?: ServerResponse | null })._httpMessage
  if (error.code === 'ECONNRESET' || !socket.writable || current?.headersSent) {
    socket.destroy()
    return
  }
  const [statusLine, message] = kindOf(error.code)
  refuse(app, deps, socket, { statusLine, error: fail('invalid_header', { message }), cause: error.code })
}

/** Node closes the connection of a `CONNECT` that nobody takes, without a word. */
export function answerConnect(app: App, deps: Deps, socket: Socket): void {
  const error = fail('method_not_allowed', { message: 'CONNECT is not taken: this is no proxy.' })
  const headers = ['Allow: GET, HEAD, POST, PUT, PATCH, DELETE']
  refuse(app, deps, socket, { statusLine: '405 Method Not Allowed', error, headers })
}

type Refusal = { statusLine: string; error: ApiError; headers?: readonly string[]; cause?: string | undefined }

function refuse(app: App, deps: Deps, socket: Socket, { statusLine, error, headers = [], cause }: Refusal): void {
  const requestId = makeId('request', deps.randomBytes(16))
  const body = JSON.stringify(errorBody(error, { requestId, docsUrl: `${app.origin}/docs` }))
  app.log.info({ requestId, status: Number(statusLine.slice(0, 3)), error: cause ?? error.code }, 'refused')
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

function kindOf(code: string | undefined): [statusLine: string, message: string] {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return ['431 Request Header Fields Too Large', 'The headers are larger than 16 KiB.']
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return ['408 Request Timeout', 'The request did not arrive in time.']
  }
  return ['400 Bad Request', 'The request is not well-formed HTTP.']
}
