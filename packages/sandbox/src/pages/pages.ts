// The scope of the hosted pages with their shared files, and the response to unknown paths.
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { messagePage, sendPage, serveAssets } from './layout.ts'
import { answerProblem, readJsonOnly, refuseForeignCallers, sendProblem } from './requests.ts'

const assets = ['foundation.css', 'parts.css', 'flows.css', 'mark.svg', 'hosted.js']

/** Registers `/assets/*` and the pages that `register` adds. */
export const hostedPages = async (app: FastifyInstance, register: (scope: FastifyInstance) => void): Promise<void> => {
  // A separate scope: its body parser and its hooks must not reach the provider's wire.
  await app.register(async (scope) => {
    readJsonOnly(scope)
    refuseForeignCallers(scope)
    scope.setErrorHandler(answerProblem)
    serveAssets(scope, join(import.meta.dirname, 'assets'), assets)
    register(scope)
  })
}

/** Responds to unknown paths outside the wire and the control commands, with a page or with JSON. */
export const answerUnknownPaths = (app: FastifyInstance, prefix: string): void => {
  app.setNotFoundHandler((request, reply) => {
    if (!request.headers.accept?.includes('text/html')) {
      return sendProblem(reply, 404, 'not_found', 'Page not found.')
    }
    const page = messagePage({
      title: 'Page not found',
      text: 'Check the URL.',
      hint: `The sandbox API starts with ${prefix}. To create test end-users and deposits, open the Sandbox page of the console.`,
    })
    return sendPage(reply, 404, page, "'none'")
  })
}
