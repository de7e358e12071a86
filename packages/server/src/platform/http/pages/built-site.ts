// A static site that is built separately: the documentation, the console, the onboarding page. The local environment
// builds a missing site, and a page says so until it is ready.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { type ApiError, fail } from '../../errors.ts'
import { acceptsGzip, prefersHtml } from './accept.ts'
import { type Html, html, sendDocument } from './page.ts'

/** State of the build of a site that is missing or older than its sources. */
export type SiteBuild =
  | { state: 'built' }
  | { state: 'building'; sinceMs: number }
  | { state: 'failed'; reason: string; command: string }

/** Finds a file below a folder. Returns the compressed file if the build has one and the caller accepts it. */
export async function findFile(folder: string, file: string, { raw, headers }: FastifyRequest) {
  // Loaded on first use: a start takes 30 ms less without it.
  const { default: sender } = await import('@fastify/send')
  const options = { root: folder, cacheControl: false, acceptRanges: false, index: false }
  if (acceptsGzip(headers['accept-encoding'])) {
    const found = await sender(raw, `${file}.gz`, { ...options, contentType: false })
    if (found.type === 'file') {
      const type = sender.mime.getType(file) ?? 'application/octet-stream'
      if (found.statusCode === 304) return found
      const charset = sender.isUtf8MimeType(type) ? '; charset=utf-8' : ''
      return {
        ...found,
        headers: { ...found.headers, 'Content-Type': `${type}${charset}`, 'Content-Encoding': 'gzip' },
      }
    }
  }
  return sender(raw, file, options)
}

const refreshSeconds = 3

/** `name` as in “The documentation”; `meanwhile` links to what is available. */
type Missing = { name: string; duration: string; command: string; meanwhile: Html }

/**
 * Reports that the site is being built, that the build failed, or how to build it. Browsers get a page.
 * @throws ApiError for a program: `page_building`, `page_not_built`
 */
export function sendMissing(
  build: SiteBuild | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
  { name, duration, command, meanwhile }: Missing,
): string {
  reply.header('vary', 'accept')
  if (!prefersHtml(request.headers.accept)) throw failureOf(build)
  if (build?.state === 'building') {
    reply.code(503).headers({ refresh: String(refreshSeconds), 'retry-after': String(refreshSeconds) })
    const seconds = Math.round((performance.now() - build.sinceMs) / 1000)
    const content = html`<h1>The ${name} is being built</h1>
<p>This happens once, after the first start, and takes about ${duration}; ${seconds} seconds have passed. This page shows the
${name} as soon as it is ready.</p>${meanwhile}`
    return withoutStore(reply, sendDocument(reply, `Building the ${name} · Causeway`, content))
  }
  const reason =
    build?.state === 'failed'
      ? html`<p>The build failed:</p><pre><code>${build.reason}</code></pre><p>Run the build yourself, in the checkout:</p>
<pre><code>${build.command}</code></pre>`
      : html`<p>This server was started from sources whose ${name} has not been built. Build it, in the checkout:</p>
<pre><code>${command}</code></pre>`
  const content = html`<h1>The ${name} is not available yet</h1>${reason}${meanwhile}`
  return withoutStore(reply.code(404), sendDocument(reply, `No ${name} yet · Causeway`, content))
}

function failureOf(build: SiteBuild | undefined): ApiError {
  const headers = { 'cache-control': 'no-store' }
  if (build?.state === 'building') return fail('page_building', { retryAfterSeconds: refreshSeconds, headers })
  return fail('page_not_built', { headers })
}

function withoutStore(reply: FastifyReply, document: string): string {
  reply.header('cache-control', 'no-store')
  return document
}
