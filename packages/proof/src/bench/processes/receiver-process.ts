// The cheapest receivers in Node: bare node:http, which reads the body and returns 200. They record each delivery with its time.

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { monotonicMs } from '../load-client.ts'
import { answerCalls } from './remote.ts'

/** For each request in order: its webhook-id (empty if it has none), and when it was complete. */
export type Arrivals = { ids: string[]; atMs: number[] }

let arrivals: Arrivals = { ids: [], atMs: [] }

const calls = {
  async listen(count: number): Promise<string[]> {
    return await Promise.all(Array.from({ length: count }, openReceiver))
  },
  count: async (): Promise<number> => arrivals.ids.length,
  /** @returns the deliveries since the last call */
  async take(): Promise<Arrivals> {
    const taken = arrivals
    arrivals = { ids: [], atMs: [] }
    return taken
  },
}
export type ReceiverCalls = typeof calls

async function openReceiver(): Promise<string> {
  const server = createServer((request, response) => {
    request.resume()
    request.on('end', () => {
      arrivals.ids.push(String(request.headers['webhook-id'] ?? ''))
      arrivals.atMs.push(monotonicMs())
      response.end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
}

answerCalls(calls)
