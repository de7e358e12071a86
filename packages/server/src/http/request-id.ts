// The id of a request: the caller's own when it is harmless, else ours. It is on every answer and in every log line.

import type { IncomingMessage } from 'node:http'
import { makeId } from '../domain/ids.ts'

const acceptable = /^[A-Za-z0-9._-]{1,128}$/

export const requestIdHeader = 'x-request-id'

export function requestIdOf(request: Pick<IncomingMessage, 'headers'>, random: (size: number) => Buffer): string {
  const given = request.headers[requestIdHeader]
  return typeof given === 'string' && acceptable.test(given) ? given : makeId('request', random(16))
}
