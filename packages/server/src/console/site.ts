// The console as static files from `npm run console:build`. Every path below /console that is not a file returns the
// one page, which reads the path itself.

import { fileURLToPath } from 'node:url'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { fail } from '../platform/errors.ts'
import { findFile, type SiteBuild, sendMissing } from '../platform/http/pages/built-site.ts'
import { html } from '../platform/http/pages/page.ts'
import type { LocalLinks } from './local-links.ts'

const builtFolder = fileURLToPath(new URL('../../../console/dist', import.meta.url))

/**
 * Additions of a local environment: the build from the checkout, one-time links, and the key of the business that they
 * open.
 */
export type ConsoleHost = { build: () => SiteBuild; apiKey: string; links: LocalLinks }

export class ConsoleSite {
  readonly folder: string
  host: ConsoleHost | null = null

  constructor(folder = builtFolder) {
    this.folder = folder
  }
}

declare module 'fastify' {
  interface FastifyInstance {
    console: ConsoleSite
  }
}

const assets = '/console/assets/'

/** Responds with a file of the console, or with a page that says why there is none. */
export async function sendConsole(
  site: ConsoleSite,
  frameAncestors: readonly string[],
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const build = site.host?.build()
  const path = request.url.replace(/[?#].*$/s, '')
  reply.headers({ 'content-security-policy': policyOf(frameAncestors), 'referrer-policy': 'no-referrer' })
  if (path.startsWith(assets)) {
    const found = await findFile(site.folder, path.slice('/console'.length), request)
    if (found.type !== 'file') throw fail('route_not_found')
    reply.headers({ vary: 'accept-encoding', 'cache-control': 'public, max-age=31536000, immutable' })
    return reply.code(found.statusCode).headers(found.headers).send(found.stream)
  }
  // The page is always sent in full, so that the next visit gets a new version of the console.
  for (const name of ['if-none-match', 'if-modified-since']) delete request.raw.headers[name]
  const page = await findFile(site.folder, '/index.html', request)
  if (page.type !== 'file') return sendMissing(build, request, reply, missing)
  reply.headers({ ...page.headers, vary: 'accept, accept-encoding', 'cache-control': 'no-store' })
  return reply.code(page.statusCode).send(page.stream)
}

/** Scripts are files of the console. Radix and Sonner write inline styles. A frame is allowed if a setting says so. */
function policyOf(frameAncestors: readonly string[]): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${frameAncestors.length === 0 ? "'none'" : frameAncestors.join(' ')}`,
  ].join('; ')
}

const missing = {
  name: 'console',
  duration: 'ten seconds',
  command: 'npm run console:build',
  meanwhile: html`<p>In the meantime, see the <a href="/docs/">documentation</a>, and the <a href="/v0/openapi.json">OpenAPI document</a>.</p>`,
}
