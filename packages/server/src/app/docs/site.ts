// Serves the documentation from where `npm run docs:build` writes it. If the files are missing, a page explains what to
// do.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { fail } from '../../platform/errors.ts'
import { prefersHtml } from '../../platform/http/pages/accept.ts'
import { findFile, type SiteBuild, sendMissing } from '../../platform/http/pages/built-site.ts'
import { html } from '../../platform/http/pages/page.ts'

const builtFolder = fileURLToPath(new URL('../../../../../docs/dist', import.meta.url))

/** Additions of a local environment: a builder of the site from the checkout, and the key for examples. */
export type SiteHost = { build: () => SiteBuild; apiKey: string; sandboxUrl: string }

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

/** Responds with a file of the site, or with a page that explains why there is none. */
export async function sendSite(site: DocsSite, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const hashes = await site.scriptHashes()
  const build = site.host?.build()
  if (hashes === null) return sendMissing(build, request, reply, missing)
  const path = request.url.slice(prefix.length).replace(/[?#].*$/s, '')
  const file = path.endsWith('/') ? `${path}index.html` : path
  reply.headers({ vary: 'accept, accept-encoding', 'content-security-policy': policyOf(hashes) })
  reply.headers({ 'referrer-policy': 'no-referrer', 'cache-control': cacheOf(path) })
  const found = await findFile(site.folder, file, request)
  if (found.type === 'file') return reply.code(found.statusCode).headers(found.headers).send(found.stream)
  if (found.type === 'directory') return reply.redirect(`${prefix}${path}/`, 308)
  if (!prefersHtml(request.headers.accept)) throw fail('route_not_found')
  // Always send the complete page for a missing site, even if the client has a cached copy of this URL.
  for (const name of ['if-none-match', 'if-modified-since']) delete request.raw.headers[name]
  const { headers, stream } = await findFile(site.folder, '/404.html', request)
  return reply.code(404).headers(headers).send(stream)
}

/** Files with a hash in their name never change; every other file is revalidated on each request. */
function cacheOf(path: string): string {
  return /^\/(_astro|pagefind\/(fragment|index))\//.test(path) ? 'public, max-age=31536000, immutable' : 'no-cache'
}

/**
 * Scripts are files of the site, inline scripts with a known hash, and the compiled search. Nothing is loaded from
 * other origins.
 */
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

const missing = {
  name: 'documentation',
  duration: 'a minute',
  command: 'npm run docs:build',
  meanwhile: html`<p>In the meantime, see what each <a href="/docs/errors">error code</a> means, and the
<a href="/v0/openapi.json">OpenAPI document</a>.</p>`,
}
