// A shop that verifies its shoppers on its own page: node --conditions=@causeway/source examples/shop/shop.ts
// The shop trusts webhooks and API responses. A message from the browser is only a reason to check the status.

import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { Causeway } from '@causeway/sdk'
import { SignatureError, verify } from '@causeway/sdk/webhooks'
import { rolldown } from 'rolldown'
import { findService } from '../service.ts'

const { baseUrl, apiKey } = findService()
const causeway = new Causeway({ baseUrl, apiKey })
const port = Number(process.env['PORT'] ?? 9200)
const shop = `http://127.0.0.1:${port}`
const shopper = `shopper-${Date.now()}` // in your shop: who is signed in
await causeway.endUsers.create({ externalUserId: shopper })

// region allow
const branding = await causeway.onboarding.branding()
const embedOrigins = [...new Set([...branding.embedOrigins, shop])]
await causeway.onboarding.setBranding({ ...branding, embedOrigins })
// endregion

// region link
async function makeLink(externalUserId: string): Promise<string> {
  const { url } = await causeway.onboarding.createLink(externalUserId)
  return url
}
// endregion

// region believe
const verified = new Set<string>() // in your shop: a column of a table
const endpoint = await causeway.webhookEndpoints.create({
  webhookUrl: `${shop}/webhooks`,
  eventTypes: ['end_user.onboarding.*'],
})

async function receive(request: IncomingMessage): Promise<void> {
  const body = await buffer(request) // the raw bytes, not parsed JSON
  const event = await verify(body, request.headers, endpoint.signingSecret)
  if (event.type === 'end_user.onboarding.completed') {
    verified.add(event.data.externalUserId)
  }
  console.log(event.type)
}

async function isVerified(externalUserId: string): Promise<boolean> {
  if (verified.has(externalUserId)) return true
  // The browser may be quicker than the event.
  const { rails } = await causeway.endUsers.get(externalUserId)
  return rails['usd'] === 'active'
}
// endregion

// Your bundler does this when it builds your page.
const bundle = await rolldown({
  input: join(import.meta.dirname, 'page.js'),
  platform: 'browser',
  resolve: { conditionNames: ['@causeway/source', 'browser', 'import'] },
})
const { output } = await bundle.generate({ format: 'esm' })
await bundle.close()

const html = `<!doctype html>
<html lang="en">
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <link rel="icon" href="data:,">
  <title>Shop</title>
  <h1>Your account</h1>
  <p id="status" role="status"></p>
  <button id="again" type="button" hidden>Go on here</button>
  <div id="onboarding"></div>
  <script type="module" src="/page.js"></script>
</html>`
const policy = `default-src 'self'; img-src data:; frame-src ${new URL(baseUrl).origin}`

type Answer = readonly [status: number, type?: string, body?: string]
const json = (value: unknown): Answer => [200, 'application/json', JSON.stringify(value)]

const routes: Record<string, (request: IncomingMessage) => Promise<Answer>> = {
  'GET /': async () => [200, 'text/html; charset=utf-8', html],
  'GET /page.js': async () => [200, 'text/javascript; charset=utf-8', output[0].code],
  'GET /shopper': async () => json({ isVerified: await isVerified(shopper) }),
  'POST /onboarding-link': async () => json({ url: await makeLink(shopper) }),
  'POST /webhooks': async (request) => {
    await receive(request)
    return [204]
  },
}

const server = createServer(async (request, response) => {
  const route = routes[`${request.method} ${request.url}`]
  const [status, type, body] = (await route?.(request).catch(failure)) ?? [404]
  const headers = { 'content-security-policy': policy, 'cache-control': 'no-store' }
  response.writeHead(status, type === undefined ? headers : { ...headers, 'content-type': type }).end(body)
})

function failure(error: unknown): Answer {
  if (error instanceof SignatureError) return [401]
  console.error(error)
  return [500]
}

await once(server.listen(port, '127.0.0.1'), 'listening')
console.log(`Open ${shop} to be verified as ${shopper}. Ctrl-C ends the shop.`)

for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, async () => {
    server.close().closeAllConnections()
    await causeway.webhookEndpoints.delete(endpoint.id)
  })
