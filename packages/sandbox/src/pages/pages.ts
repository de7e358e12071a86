// The registration of the hosted pages, and the answer to unknown addresses.
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { World } from '../state/world.ts'
import { registerKycPage } from './kyc-page.ts'
import { messagePage, sendPage, serveAssets } from './layout.ts'
import { normaliseEmbedOrigins } from './origins.ts'
import { answerProblem, readJsonOnly, refuseForeignCallers, sendProblem } from './requests.ts'
import { registerTosPage } from './tos-page.ts'

const assets = ['foundation.css', 'parts.css', 'flows.css', 'mark.svg', 'hosted.js', 'tos.js', 'kyc.js']

/** Registers `/accept-terms-of-service`, `/verify`, `/widget` and `/assets/*`. */
export const pages = async (app: FastifyInstance, { world }: { world: World }): Promise<void> => {
  const context = { world, embedOrigins: normaliseEmbedOrigins(world.settings.embedOrigins) }
  // A scope of its own: its body parser and its hooks must not reach the provider's wire.
  await app.register(async (scope) => {
    readJsonOnly(scope)
    refuseForeignCallers(scope)
    scope.setErrorHandler(answerProblem)
    serveAssets(scope, join(import.meta.dirname, 'assets'), assets)
    registerTosPage(scope, context)
    registerKycPage(scope, context)
  })
}

/** Answers unknown addresses outside the wire and the control commands, with a page or with JSON. */
export const answerUnknownPaths = (app: FastifyInstance): void => {
  app.setNotFoundHandler((request, reply) => {
    if (!request.headers.accept?.includes('text/html')) {
      return sendProblem(reply, 404, 'not_found', 'There is nothing here.')
    }
    const page = messagePage({
      title: 'No such page',
      text: 'There is nothing at this address.',
      hint: 'The API of the provider begins with /v0, the control commands with /_sandbox. To create people and deposits, open the Sandbox page of the console.',
    })
    return sendPage(reply, 404, page, "'none'")
  })
}
