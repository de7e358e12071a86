// The receiver of a listener without a target: verifies each signature as an integrator's receiver does.

import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { verify } from '../../../sdk/src/webhooks/verify.ts'

export type OwnReceiver = AsyncDisposable & { url: string }

/** Opens a receiver on loopback. It returns 200 if the signature is valid for this secret, and 401 otherwise. */
export async function openOwnReceiver(secret: string): Promise<OwnReceiver> {
  const server = createServer(async (request, response) => {
    const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)] as const)
    const isBelieved = await verify(await buffer(request), Object.fromEntries(headers), secret).then(
      () => true,
      () => false,
    )
    response.writeHead(isBelieved ? 200 : 401).end()
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a port')
  return {
    url: `http://127.0.0.1:${address.port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}
