// Requests that Node's parser lets pass, though a proxy in front may have read them another way: the proxy may have judged the
// second credential, or routed by the second host.

import type { IncomingMessage } from 'node:http'
import { type ApiError, fail } from '../errors.ts'

/** Finds what RFC 9112 has a server refuse, and headers that are sent twice and may be sent once. */
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
