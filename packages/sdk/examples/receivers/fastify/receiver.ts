// Receives webhooks with Fastify.

import { SignatureError, type VerifiedWebhook, verify } from '@causeway/sdk/webhooks'
import { type FastifyInstance, fastify } from 'fastify'

/** @param handle stores the event. `delivery.webhookId` is the same at every attempt: ignore IDs that you have already stored */
export function createReceiver(
  signingSecret: string,
  handle: (event: VerifiedWebhook) => Promise<void>,
): FastifyInstance {
  const app = fastify()

  // In a separate scope: only its routes get the raw bytes that the signature covers. All others get JSON.
  app.register(async (webhooks) => {
    webhooks.removeAllContentTypeParsers()
    webhooks.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))

    webhooks.post<{ Body: Buffer }>('/webhooks', async (request, reply) => {
      await handle(await verify(request.body, request.headers, signingSecret))
      return reply.code(204).send()
    })

    // Return 500 so that Causeway retries. Return 401 for an invalid signature.
    webhooks.setErrorHandler((error, _request, reply) => {
      if (error instanceof SignatureError) return reply.code(401).send(error.reason)
      return reply.code(500).send()
    })
  })
  return app
}
