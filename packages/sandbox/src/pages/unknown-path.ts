// Owns the answer to an address outside the wire and the control commands where nothing is: a page for people, JSON for programs.
import type { FastifyInstance } from 'fastify'
import { sendDeveloperPage } from './layout.ts'
import { messagePage } from './message-page.ts'
import { sendProblem } from './page-requests.ts'

export const answerUnknownPaths = (app: FastifyInstance): void => {
  app.setNotFoundHandler((request, reply) => {
    if (!request.headers.accept?.includes('text/html'))
      return sendProblem(reply, 404, 'not_found', 'There is nothing here.')
    const page = messagePage({
      title: 'No such page',
      text: 'There is nothing at this address.',
      hint: 'The wire of the provider begins with /v0, the control commands with /_sandbox.',
      back: { href: '/', label: 'Home' },
    })
    return sendDeveloperPage(reply, 404, page)
  })
}
