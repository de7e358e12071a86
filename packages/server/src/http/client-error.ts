// Requests that are no HTTP, too slow or with too large headers: they never become a request, but get our answer too.

import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { makeId } from '../domain/ids.ts'
import { errorBody, fail } from '../errors.ts'
import type { Deps } from '../services/deps.ts'
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
  const [statusLine, rule] = kindOf(error.code)
  const requestId = makeId('request', deps.randomBytes(16))
  const context = {
    requestId,
    docsUrl: `${deps.config.publicUrl ?? (app.server.listening ? app.listeningOrigin : '')}/docs`,
  }
  const body = JSON.stringify(errorBody(fail('invalid_header', { message: rule }), context))
  app.log.info({ requestId, status: Number(statusLine.slice(0, 3)), error: error.code }, 'refused')
  const head = [
    `HTTP/1.1 ${statusLine}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `${requestIdHeader}: ${requestId}`,
    'X-Content-Type-Options: nosniff',
    'Cache-Control: no-store',
    'Connection: close',
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
