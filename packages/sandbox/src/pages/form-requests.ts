// Owns what plain HTML forms may send: url-encoded values from our own pages and from nowhere else.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { sendProblem } from './page-requests.ts'

const bodyBytesMax = 8 * 1024

/** Forms and nothing else. */
export const readFormsOnly = (scope: FastifyInstance): void => {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: bodyBytesMax },
    (_request, text, done) => done(null, new URLSearchParams(String(text))),
  )
}

/** What was typed into a field; nothing typed and no such field are the same. */
export const formValue = ({ body }: FastifyRequest, name: string): string | undefined =>
  (body instanceof URLSearchParams ? body.get(name)?.trim() : undefined) || undefined

/**
 * A form of another site is sent without asking, so its origin decides. Browsers tell it in one of two headers; what
 * has neither is no browser and has nobody's cookies or network to misuse.
 */
export const refuseForeignForms = (scope: FastifyInstance, ownOrigin: () => string): void => {
  scope.addHook('onRequest', async (request, reply) => {
    if (request.method !== 'POST') return
    const { origin, 'sec-fetch-site': site } = request.headers
    const isOwn = site === undefined ? origin === undefined || origin === ownOrigin() : site === 'same-origin'
    if (!isOwn) await sendProblem(reply, 403, 'foreign_caller', 'Only the page itself may do this.')
  })
}
