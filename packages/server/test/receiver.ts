// A receiver of deliveries on loopback that plays a test's script: responses, refusals, silence, endless bodies.

import { once } from 'node:events'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

export type Received = { path: string; headers: IncomingHttpHeaders; body: Buffer; atMs: number }

/** A status, a whole response, or a function that controls the connection. */
export type Reply =
  | number
  | { status: number; headers?: Record<string, string>; body?: string }
  | ((request: IncomingMessage, response: ServerResponse) => void)

export type Receiver = AsyncDisposable & {
  url: string
  port: number
  /** Every request so far in the order of arrival, its body read completely. */
  seen: Received[]
  /** Decides every response; default 200. */
  reply: (received: Received) => Reply
}

export async function openReceiver(reply: Receiver['reply'] = () => 200): Promise<Receiver> {
  const connections = new Set<Socket>()
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const received = {
      path: request.url ?? '',
      headers: request.headers,
      body: Buffer.concat(chunks),
      atMs: performance.now(),
    }
    receiver.seen.push(received)
    play(receiver.reply(received), request, response)
  })
  server.on('connection', (socket) => {
    connections.add(socket)
    socket.on('error', () => {}) // the sender may end a connection whenever it likes
    socket.on('close', () => connections.delete(socket))
  })
  await listen(server)
  const { port } = server.address() as AddressInfo
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}/hook`,
    port,
    seen: [],
    reply,
    async [Symbol.asyncDispose]() {
      for (const socket of connections) socket.destroy()
      await new Promise((closed) => server.close(closed))
    },
  }
  return receiver
}

// Below the range from which systems hand out ports: once a receiver is closed, no other test gets its port.
const ports = { from: 10_240, to: 32_000 }
const triesMax = 50

async function listen(server: Server): Promise<void> {
  for (let tries = 1; ; tries++) {
    server.listen(ports.from + Math.floor(Math.random() * (ports.to - ports.from)), '127.0.0.1')
    try {
      await once(server, 'listening')
      return
    } catch (error) {
      const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
      if (!isTaken || tries === triesMax) throw error
    }
  }
}

function play(reply: Reply, request: IncomingMessage, response: ServerResponse): void {
  if (typeof reply === 'function') {
    reply(request, response)
    return
  }
  const { status, headers, body } = typeof reply === 'number' ? { status: reply, headers: {}, body: '' } : reply
  response.writeHead(status, headers)
  response.end(body)
}

export const sequencesOf = ({ seen }: Receiver): number[] => seen.map(({ headers }) => Number(headers['svc-sequence']))

/** @returns the ID of the event in a delivery */
export function idOf({ body }: Pick<Received, 'body'>): string {
  return JSON.parse(body.toString()).event_id
}

/** IDs of the provider's events that arrived, in order, each as often as it did; Causeway's own events are left out. */
export function providerIdsIn(receiver: Receiver): string[] {
  return receiver.seen.map(idOf).filter((id) => id.startsWith('wh_'))
}
