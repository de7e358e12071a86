// Receives webhooks with Hono, on Node, Bun, Deno or Workers.

import { SignatureError, type VerifiedWebhook, verify } from '@causeway/sdk/webhooks'
import { Hono } from 'hono'

/** @param handle stores the event. `delivery.webhookId` is the same at every attempt: ignore IDs that you have already stored */
export function createReceiver(signingSecret: string, handle: (event: VerifiedWebhook) => Promise<void>): Hono {
  const app = new Hono()

  app.post('/webhooks', async (context) => {
    // The signature covers the raw text, so read it with text(), not with context.req.json().
    const body = await context.req.text()
    await handle(await verify(body, context.req.raw.headers, signingSecret))
    return context.body(null, 204)
  })

  // Return 500 so that Causeway retries. Return 401 for an invalid signature.
  app.onError((error, context) => {
    return error instanceof SignatureError ? context.text(error.reason, 401) : context.text('', 500)
  })
  return app
}
