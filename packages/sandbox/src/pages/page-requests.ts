// Owns what the pages accept from a browser: query values, small JSON bodies from the page itself, JSON errors.
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { EmbedOrigins } from './origins.ts'
import type { PageFlows } from './page-flows.ts'

export type PageContext = { flows: PageFlows; embedOrigins: EmbedOrigins }

const bodyBytesMax = 4096

/** A query value exactly as given: `undefined` when absent, an array when repeated. */
export const queryValue = (request: FastifyRequest, name: string): unknown => {
  const query: unknown = request.query
  return typeof query === 'object' && query !== null ? Reflect.get(query, name) : undefined
}

/** A query value that is a single string of at most `lengthMax` characters; anything else counts as absent. */
export const queryText = (request: FastifyRequest, name: string, lengthMax: number): string | undefined => {
  const value = queryValue(request, name)
  return typeof value === 'string' && value !== '' && value.length <= lengthMax ? value : undefined
}

/** A property of a JSON body, or `undefined` when the body is no object or has no such property of its own. */
export const bodyValue = (request: FastifyRequest, name: string): unknown => {
  const body: unknown = request.body
  return typeof body === 'object' && body !== null && Object.hasOwn(body, name) ? Reflect.get(body, name) : undefined
}

/** The origins by which the page sees itself embedded or opened, as reported by its script. At most four are read. */
export const reportedOrigins = (request: FastifyRequest): readonly unknown[] => {
  const origins = bodyValue(request, 'origins')
  return Array.isArray(origins) ? origins.slice(0, 4) : []
}

export const sendProblem = (reply: FastifyReply, status: number, code: string, message: string): FastifyReply =>
  reply.code(status).header('cache-control', 'no-store').send({ code, message })

/** JSON and nothing else: a form of another site cannot send it without asking first. */
export const readJsonOnly = (scope: FastifyInstance): void => {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser(
    'application/json',
    { parseAs: 'string', bodyLimit: bodyBytesMax },
    scope.getDefaultJsonParser('error', 'error'),
  )
}

/** Browsers say where a request comes from; what does not come from our own page may read pages but change nothing. */
export const refuseForeignCallers = (scope: FastifyInstance): void => {
  scope.addHook('onRequest', async (request, reply) => {
    const site = request.headers['sec-fetch-site']
    if (request.method === 'POST' && site !== undefined && site !== 'same-origin') {
      await sendProblem(reply, 403, 'foreign_caller', 'Only the page itself may do this.')
    }
  })
}

export const answerProblem = (error: FastifyError, _request: FastifyRequest, reply: FastifyReply): FastifyReply => {
  const status = error.statusCode !== undefined && error.statusCode < 500 ? error.statusCode : 500
  return sendProblem(reply, status, status === 500 ? 'unexpected' : 'bad_request', 'The request could not be read.')
}
