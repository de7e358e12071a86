// Receives webhooks with Hono, on Node, Bun, Deno or Workers.

import { SignatureError, type VerifiedWebhook, verify } from '@causeway/sdk/webhooks'
import { Hono } from 'hono'

/** @param handle stores the event. `delivery.webhookId` is the same at every attempt: drop what you have */
export function createReceiver(signingSecret: string, handle: (event: VerifiedWebhook) => Promise<void>): Hono {
  const app = new Hono()

  app.post('/webhooks', async (context) => {
    // The text as it came: the signature is over it, and not over what context.req.json() would make of it.
    const body = await context.req.text()
    await handle(await verify(body, context.req.raw.headers, signingSecret))
    return context.body(null, 204)
  })

  // 500 has the event sent again; 401 says why it was not believed.
  app.onError((error, context) => {
    return error instanceof SignatureError ? context.text(error.reason, 401) : context.text('', 500)
  })
  return app
}
