// A webhook endpoint of a story: registered at the provider by the adapter, it keeps each delivery as it came.

import type { KeyObject } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { JsonObject } from '../../src/platform/values/json.ts'
import { freshWrite, type With } from './worlds.ts'

export type Delivery = { headers: IncomingHttpHeaders; rawBody: Buffer; body: JsonObject }
export type Hook = AsyncDisposable & {
  keys: KeyObject[]
  deliveries: Delivery[]
  switch(to: 'active' | 'disabled'): Promise<unknown>
}

export async function openHook({ endpoints, events }: With<'endpoints' | 'events'>): Promise<Hook> {
  const deliveries: Delivery[] = []
  const server = createServer()
  server.on('request', async (request, response) => {
    const rawBody = await buffer(request)
    deliveries.push({ headers: request.headers, rawBody, body: JSON.parse(rawBody.toString()) })
    response.end()
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  const { id, publicKey } = await endpoints.create(`http://127.0.0.1:${port}/hook`, freshWrite())
  await endpoints.switch(id, 'active')
  return {
    keys: [events.readKey(publicKey ?? '')],
    deliveries,
    switch: (to) => endpoints.switch(id, to),
    async [Symbol.asyncDispose]() {
      await endpoints.switch(id, 'disabled')
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}
