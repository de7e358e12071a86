// A webhook receiver for tests: it responds as configured, keeps the deliveries, and verifies signatures.

import { createHash, verify } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Event, Resource } from './answers.ts'
import type { Provider } from './sandbox.ts'

export type Received = { at: number; path: string; headers: IncomingHttpHeaders; raw: string; event: Event }

export type Receiver = {
  url: string
  received: Received[]
  /** Returns the status for a delivery; null for no response. */
  answer: (delivery: Received) => number | null
  [Symbol.asyncDispose](): Promise<void>
}

export const startReceiver = async (): Promise<Receiver> => {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const raw = Buffer.concat(chunks).toString()
    const delivery = { at: Date.now(), path: request.url ?? '', headers: request.headers, raw, event: JSON.parse(raw) }
    receiver.received.push(delivery)
    const status = receiver.answer(delivery)
    if (status === null) return
    response.writeHead(status, status >= 300 && status < 400 ? { location: `${receiver.url}/elsewhere` } : {})
    response.end(`{"status":${status}}`)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received: [],
    answer: () => 200,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return receiver
}

/** Creates an endpoint for this receiver, active by default. */
export const subscribe = async (
  provider: Provider,
  receiver: Receiver,
  changes: Record<string, unknown> = {},
): Promise<Resource> => {
  const { status = 'active', ...order } = changes
  const body = { url: `${receiver.url}/hooks`, event_epoch: 'webhook_creation', ...order }
  const created = await provider.wire('POST', '/webhooks', { body })
  if (status !== 'active') return created.body
  return (await provider.wire('PUT', `/webhooks/${created.body.id}`, { body: { status } })).body
}

/** Verifies the provider's signature as its documentation describes: the text is hashed twice. */
export const isSigned = (publicKey: string, header: string, raw: string): boolean => {
  const [, sentAt = '', signature = ''] = /^t=(\d+),v0=(.*)$/.exec(header) ?? []
  const digest = createHash('sha256').update(`${sentAt}.${raw}`).digest()
  return verify('sha256', digest, publicKey, Buffer.from(signature, 'base64'))
}
