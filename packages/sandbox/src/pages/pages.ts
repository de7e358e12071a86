// Owns the registration of the hosted pages: their scope, their body rules and what they answer on an error.
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { serveAssets } from './assets.ts'
import { registerHomePage } from './home-page.ts'
import { registerKycPage } from './kyc-page.ts'
import { normaliseEmbedOrigins } from './origins.ts'
import type { PageFlows } from './page-flows.ts'
import { answerProblem, readJsonOnly, refuseForeignCallers } from './page-requests.ts'
import { registerTosPage } from './tos-page.ts'

const assets = ['foundation.css', 'parts.css', 'forms.css', 'flows.css', 'mark.svg', 'hosted.js', 'tos.js', 'kyc.js']

export type PageOptions = {
  flows: PageFlows
  /** Origins that may embed the hosted pages and receive their messages; `loopback` means any origin of this machine. */
  embedOrigins: 'loopback' | string[]
  /** The origin that our own forms are sent from. */
  ownOrigin: () => string
}

/** Registers `/`, `/clock`, `/accept-terms-of-service`, `/verify`, `/widget` and `/assets/*`. */
export const pages = async (app: FastifyInstance, options: PageOptions): Promise<void> => {
  const context = { flows: options.flows, embedOrigins: normaliseEmbedOrigins(options.embedOrigins) }
  registerHomePage(app, options.flows, options.ownOrigin)
  // A scope of its own: the body parser and the hooks below must not reach the provider's wire.
  await app.register(async (scope) => {
    readJsonOnly(scope)
    refuseForeignCallers(scope)
    scope.setErrorHandler(answerProblem)
    serveAssets(scope, join(import.meta.dirname, 'assets'), assets)
    registerTosPage(scope, context)
    registerKycPage(scope, context)
  })
}
