// Requests that Node's parser lets pass, though a proxy in front may have read them another way: the proxy may have judged the
// second credential, or routed by the second host.

import type { IncomingMessage } from 'node:http'
import { type ApiError, fail } from '../errors.ts'

/** Finds what RFC 9112 has a server refuse, and headers that are sent twice and may be sent once. */
export function faultOfForm(request: IncomingMessage): ApiError | undefined {
  const { rawHeaders, headers, url, httpVersion } = request
  let [hosts, credentials] = [0, 0]
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ''
    // Length first: this runs for every header of every request.
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
    else if (name.length === 13 && name.toLowerCase() === 'authorization') credentials++
  }
  if (hosts > 1) return headerFault('Host', 'must not be sent twice.')
  if (hosts === 0 && httpVersion === '1.1') return headerFault('Host', 'is required.')
  if (credentials > 1) return headerFault('Authorization', 'must not be sent twice.')
  const coding = headers['transfer-encoding']
  if (coding !== undefined && coding.toLowerCase() !== 'chunked')
    return headerFault('Transfer-Encoding', 'must be chunked where it is sent.')
  if (url === '*') return fail('invalid_path', { message: 'The path must begin with a slash.' })
  return undefined
}

function headerFault(param: string, rule: string): ApiError {
  const message = `${param} ${rule}`
  return fail('invalid_header', { message, details: [{ param, code: 'invalid_header', message }] })
}
