// Receives webhooks with Next, by a route handler of the app directory.

import { SignatureError, verify } from '@causeway/sdk/webhooks'
import { handle } from '../../../events.ts' // by `allowImportingTsExtensions` in tsconfig.json

export async function POST(request: Request): Promise<Response> {
  try {
    // The text as it came: the signature is over it, and not over what request.json() would make of it.
    const body = await request.text()
    await handle(await verify(body, request.headers, process.env['CAUSEWAY_SIGNING_SECRET'] ?? ''))
    return new Response(null, { status: 204 })
  } catch (error) {
    // 500 has the event sent again; 401 says why it was not believed.
    if (error instanceof SignatureError) return new Response(error.reason, { status: 401 })
    return new Response(null, { status: 500 })
  }
}
