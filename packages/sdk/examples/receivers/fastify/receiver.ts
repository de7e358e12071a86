// Receives webhooks with Fastify.

import { SignatureError, type VerifiedWebhook, verify } from '@causeway/sdk/webhooks'
import { type FastifyInstance, fastify } from 'fastify'

/** @param handle stores the event. `delivery.webhookId` is the same at every attempt: drop what you have */
export function createReceiver(
  signingSecret: string,
  handle: (event: VerifiedWebhook) => Promise<void>,
): FastifyInstance {
  const app = fastify()

  // In a scope of its own: only its routes get the bytes that the signature is over, all others get JSON.
  app.register(async (webhooks) => {
    webhooks.removeAllContentTypeParsers()
    webhooks.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))

    webhooks.post<{ Body: Buffer }>('/webhooks', async (request, reply) => {
      await handle(await verify(request.body, request.headers, signingSecret))
      return reply.code(204).send()
    })

    // 500 has the event sent again; 401 says why it was not believed.
    webhooks.setErrorHandler((error, _request, reply) => {
      if (error instanceof SignatureError) return reply.code(401).send(error.reason)
      return reply.code(500).send()
    })
  })
  return app
}
