// The documentation as a site of plain files, sent from where `npm run docs:build` puts them. Where they are missing, a page says
// so, and what to do.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { fail } from '../../platform/errors.ts'
import { acceptsGzip, prefersHtml } from '../../platform/http/pages/accept.ts'
import { html, sendDocument } from '../../platform/http/pages/page.ts'

const builtFolder = fileURLToPath(new URL('../../../../../docs/dist', import.meta.url))

/** How the site comes to be where it is missing or older than its pages. */
export type SiteBuild =
  | { state: 'built' }
  | { state: 'building'; sinceMs: number }
  | { state: 'failed'; reason: string; command: string }

/** What the local world adds: whoever builds the site from the checkout, and the key that its reader may use. */
export type SiteHost = { build: () => SiteBuild; apiKey: string }

export class DocsSite {
  readonly folder: string
  host: SiteHost | null = null

  constructor(folder = builtFolder) {
    this.folder = folder
  }

  /** Lists the hashes of the site's inline scripts; null where no site was built. */
  async scriptHashes(): Promise<string[] | null> {
    const text = await readFile(join(this.folder, 'script-hashes.json'), 'utf8').catch(() => null)
    return text === null ? null : (JSON.parse(text) as string[])
  }
}

declare module 'fastify' {
  interface FastifyInstance {
    docs: DocsSite
  }
}

const prefix = '/docs'

/** Answers with a file of the site, or with a page that says why there is none. */
export async function sendSite(site: DocsSite, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const hashes = await site.scriptHashes()
  const build = site.host?.build()
  if (hashes === null) {
    if (!prefersHtml(request.headers.accept)) throw fail('route_not_found')
    return sendMissing(build, reply)
  }
  const path = request.url.slice(prefix.length).replace(/[?#].*$/s, '')
  const file = path.endsWith('/') ? `${path}index.html` : path
  reply.headers({ vary: 'accept, accept-encoding', 'content-security-policy': policyOf(hashes) })
  reply.headers({ 'referrer-policy': 'no-referrer', 'cache-control': cacheOf(path) })
  const found = await send(site, file, request)
  if (found.type === 'file') return reply.code(found.statusCode).headers(found.headers).send(found.stream)
  if (found.type === 'directory') return reply.redirect(`${prefix}${path}/`, 308)
  if (!prefersHtml(request.headers.accept)) throw fail('route_not_found')
  // Whatever the caller has of this address, the page of what is not there is sent whole.
  for (const name of ['if-none-match', 'if-modified-since']) delete request.raw.headers[name]
  const { headers, stream } = await send(site, '/404.html', request)
  return reply.code(404).headers(headers).send(stream)
}

/** Finds a file, compressed where the build left it so and the caller takes it. */
async function send(site: DocsSite, file: string, { raw, headers }: FastifyRequest) {
  // Loaded by the first reader: a start takes 30 ms less without it.
  const { default: sender } = await import('@fastify/send')
  const options = { root: site.folder, cacheControl: false, acceptRanges: false, index: false }
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

/** Names with a hash in them never change; everything else is asked for again, and sent again only when it has changed. */
function cacheOf(path: string): string {
  return /^\/(_astro|pagefind\/(fragment|index))\//.test(path) ? 'public, max-age=31536000, immutable' : 'no-cache'
}

/** Scripts are files of the site, its inline scripts by their hashes, and the compiled search. Nothing comes from elsewhere. */
function policyOf(hashes: readonly string[]): string {
  return [
    "default-src 'none'",
    `script-src 'self' 'wasm-unsafe-eval' ${hashes.join(' ')}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

const refreshSeconds = 3

function sendMissing(build: SiteBuild | undefined, reply: FastifyReply): string {
  const meanwhile = html`<p>Meanwhile: what each <a href="/docs/errors">error code</a> means, and the
<a href="/v0/openapi.json">OpenAPI document</a>.</p>`
  if (build?.state === 'building') {
    reply.code(503).headers({ refresh: String(refreshSeconds), 'retry-after': String(refreshSeconds) })
    const seconds = Math.round((performance.now() - build.sinceMs) / 1000)
    const content = html`<h1>The documentation is being built</h1>
<p>That happens once, at the first visit, and takes about a minute; ${seconds} seconds of it are over. This page shows the
documentation as soon as it is there.</p>${meanwhile}`
    return withoutStore(reply, sendDocument(reply, 'Building the documentation · Causeway', content))
  }
  const reason =
    build?.state === 'failed'
      ? html`<p>Building it failed:</p><pre><code>${build.reason}</code></pre><p>Try it by hand, in the checkout:</p>
<pre><code>${build.command}</code></pre>`
      : html`<p>This server was started from sources whose documentation has not been built. Build it, in the checkout:</p>
<pre><code>npm run docs:build</code></pre>`
  const content = html`<h1>The documentation is not here yet</h1>${reason}${meanwhile}`
  return withoutStore(reply.code(404), sendDocument(reply, 'No documentation yet · Causeway', content))
}

function withoutStore(reply: FastifyReply, document: string): string {
  reply.header('cache-control', 'no-store')
  return document
}
