// A receiver that takes everything at once, in a process of its own: it says when each event came for the first time.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { endWithParent, say } from '../rig/line-process.ts'
import { hostMs } from './host-clock.ts'

export type Arrival = {
  /** The endpoint, as the path names it. */
  to: string
  eventId: string
  /** By the host's clock. */
  atMs: number
}

const server = createServer({ keepAliveTimeout: 60_000 }, async (request, response) => {
  const atMs = hostMs()
  try {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    response.writeHead(200).end()
    const { event_id: eventId } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Record<string, unknown>
    say({ to: request.url?.slice(1), eventId, atMs })
  } catch {
    request.socket.destroy() // the sender went
  }
})
endWithParent()
server.listen(0, '127.0.0.1', 1_024, () => say({ port: (server.address() as AddressInfo).port }))
