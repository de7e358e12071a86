// The onboarding page as static files from `npm run onboarding:build`.

import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { fail } from '../platform/errors.ts'
import type { App } from '../platform/http/app.ts'
import { prefersHtml } from '../platform/http/pages/accept.ts'
import { findFile, type SiteBuild, sendMissing } from '../platform/http/pages/built-site.ts'
import { html } from '../platform/http/pages/page.ts'
import { findEmbedOrigins } from './branding.store.ts'
import type { OpensPages } from './ports.ts'

const builtFolder = fileURLToPath(new URL('../../../onboarding/dist', import.meta.url))

export class OnboardingSite {
  /** Folder of the built page. */
  folder: string
  /** Builds the page from the checkout, in the local environment. */
  build: (() => SiteBuild) | null = null

  constructor(folder = builtFolder) {
    this.folder = folder
  }
}

declare module 'fastify' {
  interface FastifyInstance {
    onboarding: OnboardingSite
  }
}

/** Static files, and the page at a path outside the API: not operations. */
export function onboardingSiteRoutes(app: App, deps: OpensPages): void {
  for (const path of ['/onboard/assets/*', '/onboard/:linkId'])
    app.get(path, { config: { auth: 'none' } }, (request, reply) => sendPage(app.onboarding, deps, request, reply))
}

const assets = '/onboard/assets/'

/** Responds with a file of the page, or with the page of a link. Pages differ only in the sites that may embed them. */
async function sendPage(
  site: OnboardingSite,
  deps: OpensPages,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const path = request.url.replace(/[?#].*$/s, '')
  if (path.startsWith(assets)) {
    // Only a file name: with a parent path such as ..%2F, the page would be sent without its policy.
    if (!/^[\w.-]+$/.test(path.slice(assets.length))) throw fail('route_not_found')
    const found = await findFile(site.folder, path.slice('/onboard'.length), request)
    if (found.type !== 'file') throw fail('route_not_found')
    reply.headers({ vary: 'accept-encoding', 'cache-control': 'public, max-age=31536000, immutable' })
    return reply.code(found.statusCode).headers(found.headers).send(found.stream)
  }
  const linkId = /^\/onboard\/(onboarding_link_[0-9a-z]{26})$/.exec(path)?.[1]
  // A mail tracker may turn the `#` of a link into `%23`: the page itself reports that the link is damaged.
  if (linkId === undefined && !prefersHtml(request.headers.accept)) throw fail('route_not_found')
  const build = await awaitBuild(site)
  const embedOrigins = linkId === undefined ? [] : await deps.db.read((query) => findEmbedOrigins(query, linkId))
  reply.headers({
    'content-security-policy': policyOf(embedOrigins, deps.pageOrigins),
    // The page of the terms in a separate window reveals only its origin.
    'referrer-policy': 'strict-origin',
    'permissions-policy': 'camera=(self), microphone=(), geolocation=()',
  })
  for (const name of ['if-none-match', 'if-modified-since']) delete request.raw.headers[name]
  const page = await findFile(site.folder, '/index.html', request)
  if (page.type !== 'file') return sendMissing(build, request, reply, missing)
  reply.headers({ ...page.headers, vary: 'accept-encoding', 'cache-control': 'no-store' })
  return reply.code(linkId === undefined ? 404 : page.statusCode).send(page.stream)
}

const buildWaitMs = 20_000
const buildLookMs = 100

/** Waits for a build: a browser does not refresh a URL with a `#`, so a page that says "later" would stay. */
async function awaitBuild(site: OnboardingSite): Promise<SiteBuild | undefined> {
  for (;;) {
    const build = site.build?.()
    if (build?.state !== 'building' || performance.now() - build.sinceMs > buildWaitMs) return build
    await delay(buildLookMs)
  }
}

/** Frames contain the provider's terms, and the redirect back. Images of documents are data: URIs in memory. */
function policyOf(embedOrigins: readonly string[], pageOrigins: readonly string[]): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    `frame-src 'self' ${pageOrigins.join(' ')}`,
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${["'self'", ...embedOrigins].join(' ')}`,
  ].join('; ')
}

const missing = {
  name: 'onboarding page',
  duration: 'three seconds',
  command: 'npm run onboarding:build',
  meanwhile: html``,
}
