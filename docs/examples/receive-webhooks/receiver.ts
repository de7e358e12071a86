// region receiver
import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { verify } from '@causeway/sdk/webhooks'

createServer(async (request, response) => {
  const body = await buffer(request) // the raw bytes, not parsed JSON
  const event = await verify(body, request.headers, process.env['SIGNING_SECRET'] ?? '').catch(() => null)
  console.log(event?.name ?? 'invalid signature')
  response.writeHead(event === null ? 401 : 204).end()
}).listen(Number(process.env['PORT'] ?? 9000), '127.0.0.1')
// endregion
