// The declaration of an operation, and the Fastify routes of declared operations.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Refusal, refuse, unknownPath } from './errors.ts'

export type Query = Record<string, string | string[] | undefined>

export type Call = { param(name: string): string; query: Query; body: unknown }

export type Answer = { status: number; body: unknown }

export type Operation = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  path: string
  /** Status of success, 200 by default. */
  status?: number
  /** Where each POST needs an idempotency key, this one does not. */
  isKeyOptional?: boolean
  /** @throws Refusal */
  run(call: Call): unknown
}

export type RunOperation = (operation: Operation, request: FastifyRequest) => Promise<Answer>

/** Two identity images of 15 MB each in base64, and some documents. */
const bodyBytesMax = 64 * 1024 * 1024

/** Runs the operation. Returns a refusal as a response. */
export const runOperation: RunOperation = async (operation, request) => {
  try {
    return { status: operation.status ?? 200, body: await operation.run(callOf(request)) }
  } catch (error) {
    if (error instanceof Refusal) return { status: error.status, body: error.body }
    throw error
  }
}

/**
 * Registers a route for each operation, and the responses to unknown paths and to errors.
 * @param unexpectedBody of a 500
 */
export const installOperations = (
  app: FastifyInstance,
  operations: Operation[],
  unexpectedBody: unknown,
  run = runOperation,
): void => {
  readJson(app)
  for (const operation of operations) {
    app.route({
      method: operation.method,
      url: operation.path,
      bodyLimit: bodyBytesMax,
      handler: async (request, reply) => {
        const { status, body } = await run(operation, request)
        return reply.code(status).send(body)
      },
    })
  }
  app.setNotFoundHandler((request, reply) => {
    const { status, body } = unknownPath(request.method, request.url.split('?')[0] ?? '')
    return reply.code(status).send(body)
  })
  app.setErrorHandler((error: Error & { statusCode?: number }, request, reply) => {
    if (error instanceof Refusal) return reply.code(error.status).send(error.body)
    const status = error.statusCode ?? 500
    if (status < 500) return reply.code(status).send({ code: 'bad_request', message: error.message })
    console.error(`${request.method} ${request.url.split('?')[0]} failed: ${error.stack}`)
    return reply.code(500).send(unexpectedBody)
  })
}

// Some clients send an empty body with a JSON content type to operations that take no body.
const readJson = (app: FastifyInstance): void => {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, text, done) => {
    try {
      done(null, text === '' ? undefined : JSON.parse(String(text)))
    } catch {
      done(refuse(400, 'invalid_json', 'The body is not valid JSON'))
    }
  })
}

const callOf = (request: FastifyRequest): Call => ({
  param: (name) => (request.params as Record<string, string>)[name] ?? '',
  query: request.query as Query,
  body: request.body,
})
