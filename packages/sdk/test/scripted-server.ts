// An HTTP server with scripted responses, for cases that the real server rarely produces: cut connections, silence, odd
// responses.

import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Seen = { method: string; path: string; headers: IncomingHttpHeaders; body: string }

/** Responds to one request. */
export type Step = (response: ServerResponse, seen: Seen) => void

export interface ScriptedServer extends AsyncDisposable {
  readonly url: string
  readonly seen: readonly Seen[]
}

/** Uses the first step for the first request, and so on. The last step handles all later requests. */
export async function scriptedServer(...steps: [Step, ...Step[]]): Promise<ScriptedServer> {
  const seen: Seen[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { method = '', url: path = '', headers } = request
    const entry: Seen = { method, path, headers, body: Buffer.concat(chunks).toString() }
    seen.push(entry)
    const step = steps[Math.min(seen.length, steps.length) - 1] as Step
    step(response, entry)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

export function answer(status: number, body: unknown, headers: Record<string, string> = {}): Step {
  return (response) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text)
  }
}

export const success = (data: unknown, headers: Record<string, string> = {}): Step => answer(200, { data }, headers)

/** An error as the API writes it. */
export function refusal(status: number, type: string, code: string, retryable: boolean, headers = {}): Step {
  const error = { type, code, message: 'Refused.', requestId: 'req_1', resolution: 'Wait.', docUrl: 'x', retryable }
  return answer(status, { error }, headers)
}

export const cut: Step = (response) => response.destroy()
export const silence: Step = () => {}
