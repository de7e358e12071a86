// Where the businesses of a run receive their events: keeps of each address which events came under which numbers.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Arrivals = {
  /** By `svc-sequence`: the event that bore it. */
  bySequence: Map<number, string>
  /** Two events under one number, or one event under two. */
  faults: string[]
}

export type EventReceiver = AsyncDisposable & {
  url(path: string): string
  arrivalsAt(path: string): Arrivals
}

/** An address with this in it refuses the first attempt of each event. */
export const refusingOnce = 'refusing-once'

export async function openEventReceiver(): Promise<EventReceiver> {
  const places = new Map<string, Arrivals>()
  const refused = new Set<string>()
  const arrivalsAt = (path: string): Arrivals => {
    const known = places.get(path) ?? { bySequence: new Map(), faults: [] }
    places.set(path, known)
    return known
  }

  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    const path = request.url ?? ''
    const id = String(request.headers['webhook-id'])
    const sequence = Number(request.headers['svc-sequence'])
    request.resume().on('end', () => {
      if (path.includes(refusingOnce) && !refused.has(`${path} ${id}`)) {
        refused.add(`${path} ${id}`)
        return void response.writeHead(500).end()
      }
      const { bySequence, faults } = arrivalsAt(path)
      const before = bySequence.get(sequence)
      if (before !== undefined && before !== id) faults.push(`${before} and ${id} both bear the number ${sequence}`)
      bySequence.set(sequence, id)
      response.writeHead(200).end()
    })
  })
  server.on('connection', (socket) => socket.on('error', () => {})) // senders are killed
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  return {
    url: (path) => `http://127.0.0.1:${port}${path}`,
    arrivalsAt,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}
