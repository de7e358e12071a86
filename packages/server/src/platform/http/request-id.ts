// The id of a request: the caller's own when it is harmless, else ours. It is on every answer and in every log line.

import type { IncomingMessage } from 'node:http'
import { makeId } from '../values/ids.ts'

const acceptable = /^[A-Za-z0-9._-]{1,128}$/
const idBytes = 16
/** Random bytes are fetched for this many ids at once: one by one they were 3 % of a small request's time. */
const batch = 256

export const requestIdHeader = 'x-request-id'

export function requestIds(random: (size: number) => Buffer): (request: Pick<IncomingMessage, 'headers'>) => string {
  let bytes: Buffer = Buffer.alloc(0)
  let used = 0
  return (request) => {
    const given = request.headers[requestIdHeader]
    if (typeof given === 'string' && acceptable.test(given)) return given
    if (used === bytes.length) {
      bytes = random(idBytes * batch)
      used = 0
    }
    const own = makeId('request', bytes, used)
    used += idBytes
    return own
  }
}
