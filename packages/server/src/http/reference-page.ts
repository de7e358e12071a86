// The API reference (Scalar), served from here alone: its script comes out of the package, its page may load nothing else.

import Fastify, { type FastifyReply } from 'fastify'
import { icon } from './page.ts'
import { type TaggedBytes, taggedBytes } from './tagged-bytes.ts'

/**
 * What the browser enforces: whatever the reference might want from another host, it does not get. The script makes
 * styles and reads `data:` images of its own; a request to try an operation goes to this origin.
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self' blob:",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

const settings = {
  url: '/v0/openapi.json',
  theme: 'none',
  layout: 'modern',
  withDefaultFonts: false,
  telemetry: false,
  showDeveloperTools: 'never',
  hideClientButton: true,
  agent: { disabled: true },
  mcp: { disabled: true },
  defaultOpenFirstTag: true,
  authentication: { preferredSecurityScheme: 'businessKey' },
  documentDownloadType: 'json',
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  metaData: { title: 'API reference · Causeway' },
}

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API reference · Causeway</title>
<link rel="icon" href="${icon}">
<style>body { margin: 0 }</style>
</head>
<body>
<noscript>The reference needs JavaScript. The same document as JSON: <a href="/v0/openapi.json">/v0/openapi.json</a>.</noscript>
<div id="app"></div>
<script src="/docs/reference.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`

export function sendReferencePage(reply: FastifyReply): string {
  reply
    .type('text/html; charset=utf-8')
    .header('content-security-policy', contentSecurityPolicy)
    .header('referrer-policy', 'no-referrer')
    .header('cache-control', 'public, max-age=300')
  return page
}

/** Starts the reference. A file of its own, so that the page needs no inline script. */
export const startScript = `Scalar.createApiReference('#app', ${JSON.stringify(settings)})\n`

let loading: Promise<TaggedBytes> | undefined

/**
 * The script of the reference, 3.7 MB. Its module costs 170 ms and 60 MB to load, so it is loaded when first asked for.
 * The package hands it out by a route only, hence the server within the server.
 */
export function referenceScript(): Promise<TaggedBytes> {
  loading ??= loadScript().catch((error: unknown) => {
    loading = undefined
    throw error
  })
  return loading
}

async function loadScript(): Promise<TaggedBytes> {
  const { default: scalar } = await import('@scalar/fastify-api-reference')
  const inner = Fastify()
  await inner.register(scalar, { routePrefix: '/docs', configuration: { url: settings.url } })
  const answer = await inner.inject('/docs/js/scalar.js')
  await inner.close()
  if (answer.statusCode !== 200) throw new Error(`the reference's script is not where it was (${answer.statusCode})`)
  return await taggedBytes(answer.rawPayload, 'text/javascript; charset=utf-8')
}
