// A local HTTP server that plays a test's script: the provider's documented responses, byte for byte if needed.

import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

export type SeenRequest = { method: string; url: URL; headers: IncomingHttpHeaders; body: string }

/** A response (a string body is sent unchanged, anything else as JSON), or a function that controls the response. */
export type Scripted =
  | { status?: number; headers?: Record<string, string>; body: unknown }
  | ((request: IncomingMessage, response: ServerResponse) => void)

export type ScriptedUpstream = AsyncDisposable & {
  /** Ends in `/v0`. */
  baseUrl: string
  /** Every request so far, its body read completely. */
  seen: SeenRequest[]
  connections: ReadonlySet<Socket>
  /** Responses for the next requests, in this order; a request without one gets 500 `unscripted`. */
  script(...answers: Scripted[]): void
}

export async function openScriptedUpstream(): Promise<ScriptedUpstream> {
  const seen: SeenRequest[] = []
  const queue: Scripted[] = []
  const connections = new Set<Socket>()
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const url = new URL(request.url ?? '', 'http://upstream')
    const body = Buffer.concat(chunks).toString()
    seen.push({ method: request.method ?? '', url, headers: request.headers, body })
    play(queue.shift() ?? { status: 500, body: { code: 'unscripted' } }, request, response)
  })
  server.on('connection', (socket) => {
    connections.add(socket)
    socket.on('close', () => connections.delete(socket))
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  return {
    baseUrl: `http://127.0.0.1:${port}/v0`,
    seen,
    connections,
    script: (...answers) => void queue.push(...answers),
    async [Symbol.asyncDispose]() {
      for (const socket of connections) socket.destroy()
      await new Promise((closed) => server.close(closed))
    },
  }
}

function play(answer: Scripted, request: IncomingMessage, response: ServerResponse): void {
  if (typeof answer === 'function') {
    answer(request, response)
    return
  }
  response.writeHead(answer.status ?? 200, { 'content-type': 'application/json', ...answer.headers })
  response.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body))
}
