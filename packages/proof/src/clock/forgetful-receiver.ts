// A receiver that refuses the first attempt of every fourth delivery and accepts the second, so that retries are due while clocks
// step. Ten refusals in a row would open the circuit breaker, and retries would wait for its probes. The receiver notes when
// attempts arrived, and the time in their signature.

import { once } from 'node:events'
import { createServer } from 'node:http'

export type Attempt = { webhookId: string; atMs: number; signedAtMs: number; isTaken: boolean }

export type ForgetfulReceiver = AsyncDisposable & { url: string; attempts: readonly Attempt[] }

const refusedOneIn = 4

export async function startForgetfulReceiver(): Promise<ForgetfulReceiver> {
  const attempts: Attempt[] = []
  const seen = new Set<string>()
  const server = createServer((request, response) => {
    const webhookId = String(request.headers['webhook-id'])
    const signedAtMs = Number(request.headers['webhook-timestamp']) * 1_000
    const isTaken = seen.has(webhookId) || seen.size % refusedOneIn !== 0
    seen.add(webhookId)
    attempts.push({ webhookId, atMs: Date.now(), signedAtMs, isTaken })
    request.resume()
    request.on('end', () => response.writeHead(isTaken ? 200 : 503).end())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    url: `http://127.0.0.1:${address.port}/forgetful`,
    attempts,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}
