// The onboarding page as a site of plain files, sent from where `npm run onboarding:build` puts them.

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
  /** Where the page was built. */
  folder: string
  /** Who builds the page from the checkout, in the local world. */
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

/** Files, and a page whose address is not below the API: no operations. */
export function onboardingSiteRoutes(app: App, deps: OpensPages): void {
  for (const path of ['/onboard/assets/*', '/onboard/:linkId'])
    app.get(path, { config: { auth: 'none' } }, (request, reply) => sendPage(app.onboarding, deps, request, reply))
}

const assets = '/onboard/assets/'

/** Answers with a file of the page, or with the page of a link: the same for each link but for who may frame it. */
async function sendPage(
  site: OnboardingSite,
  deps: OpensPages,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const path = request.url.replace(/[?#].*$/s, '')
  if (path.startsWith(assets)) {
    // A name alone: by a way up, such as ..%2F, the page would be sent without its policy.
    if (!/^[\w.-]+$/.test(path.slice(assets.length))) throw fail('route_not_found')
    const found = await findFile(site.folder, path.slice('/onboard'.length), request)
    if (found.type !== 'file') throw fail('route_not_found')
    reply.headers({ vary: 'accept-encoding', 'cache-control': 'public, max-age=31536000, immutable' })
    return reply.code(found.statusCode).headers(found.headers).send(found.stream)
  }
  const linkId = /^\/onboard\/(onboarding_link_[0-9a-z]{26})$/.exec(path)?.[1]
  // A mail tracker turns the `#` of a link into `%23`, for example: the page itself says that the link is damaged.
  if (linkId === undefined && !prefersHtml(request.headers.accept)) throw fail('route_not_found')
  const build = await awaitBuild(site)
  const embedOrigins = linkId === undefined ? [] : await deps.db.read((query) => findEmbedOrigins(query, linkId))
  reply.headers({
    'content-security-policy': policyOf(embedOrigins, deps.pageOrigins),
    // The page of the terms in a window of its own tells only the origin that it came from.
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

/** Waits for a build: a browser does not refresh an address with a `#`, so a page that says "later" would stay. */
async function awaitBuild(site: OnboardingSite): Promise<SiteBuild | undefined> {
  for (;;) {
    const build = site.build?.()
    if (build?.state !== 'building' || performance.now() - build.sinceMs > buildWaitMs) return build
    await delay(buildLookMs)
  }
}

/** Frames hold the provider's terms, and the way back from them. Pictures of papers are data: URIs in memory. */
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
