// Receives webhooks with Express.

import { SignatureError, type VerifiedWebhook, verify } from '@causeway/sdk/webhooks'
import express, { type ErrorRequestHandler, type Express } from 'express'

/** @param handle stores the event. `delivery.webhookId` is the same at every attempt: ignore IDs that you have already stored */
export function createReceiver(signingSecret: string, handle: (event: VerifiedWebhook) => Promise<void>): Express {
  const app = express()

  // Above express.json(), which parses the body: the signature covers the raw bytes.
  app.post('/webhooks', express.raw({ type: 'application/json', limit: '1mb' }), async (request, response) => {
    await handle(await verify(request.body, request.headers, signingSecret))
    response.status(204).end()
  })

  app.use(express.json())
  app.use(onError)
  return app
}

// Return 500 so that Causeway retries. Return 401 for an invalid signature.
const onError: ErrorRequestHandler = (error: unknown, _request, response, _next) => {
  if (error instanceof SignatureError) response.status(401).send(error.reason)
  else response.status(500).end()
}
