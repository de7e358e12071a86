// Receives webhooks with node:http alone.

import { createServer, type IncomingMessage, type Server } from 'node:http'
import { SignatureError, type VerifiedWebhook, verify } from '@causeway/sdk/webhooks'

const bytesMax = 1024 * 1024 // of the largest event

/** @param handle stores the event. `delivery.webhookId` is the same at every attempt: ignore IDs that you have already stored */
export function createReceiver(signingSecret: string, handle: (event: VerifiedWebhook) => Promise<void>): Server {
  return createServer(async (request, response) => {
    try {
      const body = await readBody(request)
      await handle(await verify(body, request.headers, signingSecret))
      response.writeHead(204).end()
    } catch (error) {
      // Return 500 so that Causeway retries. Return 401 for an invalid signature.
      const reason = error instanceof SignatureError ? error.reason : null
      response.writeHead(reason === null ? 500 : 401).end(reason)
    }
  })
}

/** The signature covers the raw bytes. */
async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > bytesMax) throw new Error('The body is too large.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
