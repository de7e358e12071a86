// Documentation as the server shows it: landing page, API reference, a page for each error code, the OpenAPI document.

import { readFileSync } from 'node:fs'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { fail } from '../../platform/errors.ts'
import type { App } from '../../platform/http/app.ts'
import { prefersHtml } from '../../platform/http/pages/accept.ts'
import { errorList, errorPage, isErrorCode, unknownCodePage } from '../../platform/http/pages/error-pages.ts'
import { pageHeaders, sendDocument } from '../../platform/http/pages/page.ts'
import { closed } from '../../platform/http/schema/schema.ts'
import { landing } from './landing-page.ts'
import type { ApiDocument } from './reference-document.ts'
import { referencePage, referenceScript } from './reference-page.ts'
import { sendTagged, taggedOnce } from './tagged-bytes.ts'

/** Made by `npm run generate` out of the routes themselves. */
const openapiFile = new URL('../../../openapi.json', import.meta.url)
const open = { config: { auth: 'none' }, schema: { hide: true } } as const

export function docsRoutes(app: App): void {
  const openapi = taggedOnce(() => readFileSync(openapiFile), 'application/json; charset=utf-8')
  app.get('/v0/openapi.json', open, async (request, reply) => sendTagged(request, reply, await openapi()))

  app.get('/', open, (request, reply) => {
    reply.header('vary', 'accept')
    if (prefersJson(request)) return { name: 'Causeway', docs: '/docs', openapi: '/v0/openapi.json', ready: '/readyz' }
    return sendDocument(reply, 'Causeway', landing(app.origin))
  })

  const reference = taggedOnce(() => {
    const document = JSON.parse(readFileSync(openapiFile, 'utf8')) as ApiDocument // written by ourselves
    return referencePage(document)
  }, 'text/html; charset=utf-8')
  app.get('/docs', open, async (request, reply) => {
    reply.headers(pageHeaders("'self'"))
    return sendTagged(request, reply, await reference())
  })
  app.get('/docs/', open, (_request, reply) => reply.redirect('/docs', 308))
  const script = taggedOnce(() => referenceScript, 'text/javascript; charset=utf-8')
  app.get('/docs/reference.js', open, async (request, reply) => sendTagged(request, reply, await script()))

  app.get('/docs/errors', open, (_request, reply) => sendDocument(reply, 'Errors · Causeway', errorList()))
  app.get('/docs/errors/', open, (_request, reply) => reply.redirect('/docs/errors', 308))
  app.get(
    '/docs/errors/:code',
    { config: { auth: 'none' }, schema: { hide: true, params: closed({ code: Type.String() }) } },
    (request, reply) => {
      const { code } = request.params
      reply.header('vary', 'accept')
      if (!isErrorCode(code)) {
        if (!prefersHtml(request.headers.accept)) throw fail('route_not_found')
        return sendDocument(reply.code(404), 'No such error · Causeway', unknownCodePage(code))
      }
      return sendDocument(reply, `${code} · Causeway`, errorPage(code))
    },
  )
}

/** A browser names HTML; a client that names JSON and not HTML is a program. */
function prefersJson(request: FastifyRequest): boolean {
  const accept = request.headers.accept ?? ''
  return accept.includes('application/json') && !accept.includes('text/html')
}
