// The yardstick of reading: `node:http` and nothing else, in a process of its own, answering every request with the same bytes.

import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answerCalls } from './remote.ts'

let server: Server | undefined

const calls = {
  /** @returns where it listens */
  async serve(body: string): Promise<string> {
    const bytes = Buffer.from(body)
    const headers = { 'content-type': 'application/json; charset=utf-8', 'content-length': bytes.length }
    server = createServer((_request, response) => response.writeHead(200, headers).end(bytes)).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo // a TCP server's address is never a path
    return `http://127.0.0.1:${port}`
  },
}
export type BareCalls = typeof calls

answerCalls(calls, async () => void server?.close())
