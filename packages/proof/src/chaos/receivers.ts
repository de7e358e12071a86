// The receivers of the chaos run, a process of its own, which no kill and no fault touches: each delivery that it has read
// completely is answered 200, and is a line of its log. Who signed it is judged at the end.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { endWithParent, say } from '../rig/line-process.ts'

export type Received = {
  /** The business's place, as the path names it. */
  business: number
  headers: Record<string, string>
  body: string
  /** Whether the sender was still there when it was answered. */
  answered: boolean
}

const server = createServer({ keepAliveTimeout: 60_000 }, async (request, response) => {
  try {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const answered = !request.socket.destroyed
    response.writeHead(200).end()
    const body = Buffer.concat(chunks).toString('utf8')
    const headers = Object.entries(request.headers).filter(([name]) => /^(webhook|svc)-/.test(name))
    say({ business: Number(request.url?.slice(1)), headers: Object.fromEntries(headers), body, answered })
  } catch {
    request.socket.destroy() // the sender went
  }
})
server.on('connection', (socket) => socket.on('error', () => {}))
endWithParent()
server.listen(0, '127.0.0.1', 1_024, () => say({ port: (server.address() as AddressInfo).port }))
