// The requests that pages accept from a browser: query values, small JSON bodies, and the responses to bad requests.
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

const jsonBytesMax = 4 * 1024

/** Returns a query value as it was sent: `undefined` when absent, an array when repeated. */
export const queryValue = (request: FastifyRequest, name: string): unknown => {
  const query: unknown = request.query
  return typeof query === 'object' && query !== null ? Reflect.get(query, name) : undefined
}

/** Returns a query value that is one string of at most `lengthMax` characters. Other values count as absent. */
export const queryText = (request: FastifyRequest, name: string, lengthMax: number): string | undefined => {
  const value = queryValue(request, name)
  return typeof value === 'string' && value !== '' && value.length <= lengthMax ? value : undefined
}

/** Returns an own property of a JSON body, or `undefined` when there is none. */
export const bodyValue = (request: FastifyRequest, name: string): unknown => {
  const body: unknown = request.body
  return typeof body === 'object' && body !== null && Object.hasOwn(body, name) ? Reflect.get(body, name) : undefined
}

/** Returns the origins of the pages that embed or opened this page, as its script reports them; at most four. */
export const reportedOrigins = (request: FastifyRequest): readonly unknown[] => {
  const origins = bodyValue(request, 'origins')
  return Array.isArray(origins) ? origins.slice(0, 4) : []
}

export const sendProblem = (reply: FastifyReply, status: number, code: string, message: string): FastifyReply =>
  reply.code(status).header('cache-control', 'no-store').send({ code, message })

/** Accepts JSON bodies alone: another site's form cannot send JSON without a preflight request. */
export const readJsonOnly = (scope: FastifyInstance): void => {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser(
    'application/json',
    { parseAs: 'string', bodyLimit: jsonBytesMax },
    scope.getDefaultJsonParser('error', 'error'),
  )
}

/** Refuses a POST that a browser reports to come from another site. */
export const refuseForeignCallers = (scope: FastifyInstance): void => {
  scope.addHook('onRequest', async (request, reply) => {
    const site = request.headers['sec-fetch-site']
    if (request.method === 'POST' && site !== undefined && site !== 'same-origin') {
      await sendProblem(reply, 403, 'foreign_caller', 'Only pages of the sandbox can send this request.')
    }
  })
}

export const answerProblem = (error: FastifyError, _request: FastifyRequest, reply: FastifyReply): FastifyReply => {
  const status = error.statusCode !== undefined && error.statusCode < 500 ? error.statusCode : 500
  return sendProblem(reply, status, status === 500 ? 'unexpected' : 'bad_request', 'The request could not be read.')
}
