// What the server shows of itself: landing page, documentation, a page for each error code, the OpenAPI document.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { ApiKeys } from '../../businesses/ports.ts'
import { tokenOf } from '../../console/browser.ts'
import { readSession } from '../../console/sessions.ts'
import { fail } from '../../platform/errors.ts'
import type { App } from '../../platform/http/app.ts'
import { acceptsGzip, prefersHtml } from '../../platform/http/pages/accept.ts'
import { errorList, errorPage, unknownCodePage } from '../../platform/http/pages/error-pages.ts'
import { type Html, html, sendDocument } from '../../platform/http/pages/page.ts'
import { closed } from '../../platform/http/schema/schema.ts'
import { isErrorCode } from '../../platform/http/schema/validation.ts'
import { isFromThisMachine } from '../../platform/http/this-machine.ts'
import { type DocsSite, sendSite } from './site.ts'

/** Made by `npm run generate` out of the declared operations. */
const openapiFile = new URL('../../../openapi.json', import.meta.url)
const open = { config: { auth: 'none' } } as const

export function docsRoutes(app: App, deps: ApiKeys): void {
  const openapi = readFileSync(openapiFile)
  app.get(
    '/v0/openapi.json',
    open,
    tagged('application/json; charset=utf-8', () => withServer(openapi, app.origin)),
  )

  app.get('/openapi.json', open, (_request, reply) => reply.redirect('/v0/openapi.json', 308))

  app.get('/', open, (request, reply) => {
    reply.header('vary', 'accept')
    if (prefersJson(request)) return { name: 'Causeway', docs: '/docs', openapi: '/v0/openapi.json', ready: '/readyz' }
    if (app.docs.host !== null) return reply.redirect('/console/') // a local environment
    return sendDocument(reply, 'Causeway', landing(app.origin))
  })

  siteRoutes(app, deps)
}

function siteRoutes(app: App, deps: ApiKeys): void {
  const { docs } = app
  app.get('/llms.txt', open, (_request, reply) => reply.redirect('/docs/llms.txt', 308))
  app.get('/docs', open, (_request, reply) => reply.redirect('/docs/', 308))
  app.get('/docs/*', open, (request, reply) => sendSite(docs, request, reply))
  app.get('/docs/visitor.json', open, (request, reply) => {
    reply.header('cache-control', 'no-store')
    return visitorOf(docs, deps, request)
  })

  app.get('/docs/errors/', open, (_request, reply) => reply.redirect('/docs/errors', 308))
  app.get('/docs/errors', open, async (_request, reply) => {
    if (await docs.scriptHashes()) return reply.redirect(errorsOfSite)
    return sendDocument(reply, 'Errors · Causeway', errorList())
  })
  app.get(
    '/docs/errors/:code',
    { config: { auth: 'none' }, schema: { params: closed({ code: Type.String() }) } },
    async (request, reply) => {
      const { code } = request.params
      reply.header('vary', 'accept')
      if (isErrorCode(code)) {
        if (await docs.scriptHashes()) return reply.redirect(`${errorsOfSite}#${code}`)
        return sendDocument(reply, `${code} · Causeway`, errorPage(code))
      }
      if (!prefersHtml(request.headers.accept)) throw fail('route_not_found')
      return sendDocument(reply.code(404), 'No such error · Causeway', unknownCodePage(code))
    },
  )
}

const errorsOfSite = '/docs/reference/errors/'

/** Gives pages of a local environment its key for their examples, where their reader is signed in to its console. */
async function visitorOf({ host }: DocsSite, deps: ApiKeys, request: FastifyRequest): Promise<{ apiKey?: string }> {
  const token = tokenOf(request, deps.config)
  if (host === null || token === null || !isFromThisMachine(request)) return {}
  const session = await readSession(deps, token, request.id).catch(() => null)
  return session?.business ? { apiKey: host.apiKey } : {}
}

/** A browser names HTML; a client that names JSON and not HTML is a program. */
function prefersJson(request: FastifyRequest): boolean {
  const accept = request.headers.accept ?? ''
  return accept.includes('application/json') && !accept.includes('text/html')
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => Buffer | FastifyReply

/** Makes a handler for a document that changes with a release only: rendered once, and sent again only to who lacks it. */
function tagged(type: string, render: () => Buffer | string): Handler {
  let made: { plain: Buffer; gzipped: Buffer; etag: string } | undefined
  return ({ headers }, reply) => {
    if (!made) {
      const plain = Buffer.from(render())
      const digest = createHash('sha256').update(plain).digest('base64url').slice(0, 27)
      made = { plain, gzipped: gzipSync(plain), etag: `"${digest}"` }
    }
    const { plain, gzipped, etag } = made
    reply.headers({ etag, 'cache-control': 'no-cache', vary: 'accept-encoding' }).type(type)
    const known = (headers['if-none-match'] ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''))
    if (known.includes(etag) || known.includes('*')) return reply.code(304).send()
    if (!acceptsGzip(headers['accept-encoding'])) return plain
    reply.header('content-encoding', 'gzip')
    return gzipped
  }
}

/** Puts the address of this server into the document, for clients made from it. @param origin empty where it is not known */
function withServer(openapi: Buffer, origin: string): string {
  return JSON.stringify({ ...JSON.parse(openapi.toString()), servers: [{ url: origin === '' ? '/' : origin }] })
}

type Door = readonly [href: string, name: string, about: string]

const doors: readonly Door[] = [
  ['/console/', 'Console', 'End-users, accounts, deposits, events and webhooks.'],
  ['/docs/', 'Docs', 'Guides by task, and every operation with its fields, errors and examples.'],
  ['/docs/errors', 'Errors', 'What each error code means, and what to do.'],
  ['/v0/openapi.json', 'OpenAPI document', 'For client generators and your own tests.'],
]

/** @param origin of this server; empty where it is not known */
function landing(origin: string): Html {
  return html`<h1>Causeway</h1>
<p class="intro">Onboard your users, give them bank accounts that pay out in stablecoins, and receive a signed event for every deposit.</p>
<ul class="doors">${doors.map(door)}</ul>
<h2>Send your first request</h2>
<p>The response contains your business and the scopes of the API key:</p>
<pre><code>curl -H "Authorization: Bearer $CAUSEWAY_API_KEY" ${origin}/v0/whoami</code></pre>
<p><a href="/readyz">Readiness of this server</a></p>`
}

const door = ([href, name, about]: Door): Html =>
  html`<li><a href="${href}"><b>${name}</b><span>${about}</span></a></li>`
