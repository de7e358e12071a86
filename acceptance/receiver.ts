// A webhook receiver on this machine's loopback, and the check of Standard Webhooks without a library.

import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { succeed, until } from './call.ts'

export interface Delivered {
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  readonly type: string
  readonly eventId: string
}

export interface Receiver extends AsyncDisposable {
  readonly endpointId: string
  readonly signingSecret: string
  /** In the order in which they came, refused ones as well. */
  readonly delivered: readonly Delivered[]
  untilDelivered(what: string, wants: (delivered: Delivered) => boolean): Promise<Delivered>
}

/** Registers an endpoint that delivers in order per end-user. `respond` gives the status for one webhook. */
export async function receive(respond: (delivered: Delivered) => number = () => 200): Promise<Receiver> {
  const delivered: Delivered[] = []
  const server = createServer(async (request, response) => {
    const body = await buffer(request)
    const { event_id, event_type } = JSON.parse(String(body)) as { event_id: string; event_type: string }
    const headers = request.headers as Record<string, string>
    const one = { headers, body, type: event_type, eventId: event_id }
    delivered.push(one)
    response.writeHead(respond(one)).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () => server.close().closeAllConnections()
  const webhookUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`
  const body = { webhookUrl, ordering: 'per_end_user', description: 'acceptance' }
  try {
    const { id, signingSecret } = await succeed<{ id: string; signingSecret: string }>(
      'POST',
      '/v0/webhook-endpoints',
      { body },
    )
    return {
      endpointId: id,
      signingSecret,
      delivered,
      async untilDelivered(what, wants) {
        const found = await until(what, async () => delivered.find(wants), Boolean)
        assert.ok(found)
        return found
      },
      async [Symbol.asyncDispose]() {
        await succeed('DELETE', `/v0/webhook-endpoints/${id}`)
        close()
      },
    }
  } catch (error) {
    close() // a server that listens would keep the process alive
    throw error
  }
}

const TOLERANCE_SECONDS = 300

/** https://www.standardwebhooks.com: HMAC-SHA256 over the ID, the time and the bytes; several signatures during a rotation. */
export function isSigned({ headers, body }: Delivered, signingSecret: string): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signatures = '' } = headers
  const key = Buffer.from(signingSecret.replace(/^whsec_/, ''), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${time}.`).update(body).digest('base64')
  const isFresh = Math.abs(Date.now() / 1000 - Number(time)) <= TOLERANCE_SECONDS
  return isFresh && signatures.split(' ').includes(`v1,${signature}`)
}
