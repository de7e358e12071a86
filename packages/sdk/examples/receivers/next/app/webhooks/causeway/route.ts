// Receives webhooks with Next, by a route handler of the app directory.

import { SignatureError, verify } from '@causeway/sdk/webhooks'
import { handle } from '../../../events.ts' // by `allowImportingTsExtensions` in tsconfig.json

export async function POST(request: Request): Promise<Response> {
  try {
    // The signature covers the raw text, so read it with text(), not with request.json().
    const body = await request.text()
    await handle(await verify(body, request.headers, process.env['CAUSEWAY_SIGNING_SECRET'] ?? ''))
    return new Response(null, { status: 204 })
  } catch (error) {
    // Return 500 so that Causeway retries. Return 401 for an invalid signature.
    if (error instanceof SignatureError) return new Response(error.reason, { status: 401 })
    return new Response(null, { status: 500 })
  }
}
