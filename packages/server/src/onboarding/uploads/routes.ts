// A submission in pieces: the page sends each, and asks which are there. Whether a piece is read is settled before it is.

import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { ServerDeps } from '../../app/context.ts'
import { fail } from '../../platform/errors.ts'
import type { App } from '../../platform/http/app.ts'
import { readBytesBodies } from '../../platform/http/body/bytes-body.ts'
import { bodyLimitsOf, rawBodyOf } from '../../platform/http/body/json-body.ts'
import { requireAllowed } from '../../platform/http/limits/rate-limit.ts'
import { uploadPieceBody } from '../../platform/http/limits.ts'
import { closed } from '../../platform/http/schema/schema.ts'
import { validationError } from '../../platform/http/schema/validation.ts'
import { pageOf } from '../page.routes.ts'
import { digest } from './submission.ts'
import type { ReadingPiece } from './uploads.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The piece that this request brings. */
    piece: ReadingPiece | null
  }
}

const index = Type.String({ pattern: '^(0|[1-9]\\d{0,2})$', errorText: 'must be a whole number' })
const bytes = Type.String({ pattern: '^[1-9]\\d{0,8}$', errorText: 'must be the bytes of the whole submission' })

export function onboardingUploadRoutes(app: App, { uploads }: ServerDeps): void {
  const config = { auth: 'page' } as const
  const schema = { hide: true } as const
  app.addHook('preClose', (done) => {
    uploads.close()
    done()
  })

  app.get('/onboard/api/uploads/:digest', { config, schema: { ...schema, params: closed({ digest }) } }, (request) => ({
    data: { pieces: uploads.indices(pageOf(request).link.id, request.params.digest) },
  }))

  // A scope of its own: no other route takes bytes.
  void app.register(async (scope: App) => {
    readBytesBodies(scope)
    scope.decorateRequest('piece', null)
    scope.put(
      '/onboard/api/uploads/:digest/:index',
      {
        config: { ...config, rawBody: true, bodyLimits: uploadPieceBody },
        schema: { ...schema, params: closed({ digest, index }), querystring: closed({ bytes }) },
        onRequest: async (request, reply) => {
          const { link } = pageOf(request)
          requireAllowed(await request.server.rateLimits.uploadPieces.take(link.id))
          requireForm(request)
          bodyLimitsOf(request)
          const { params, query } = request
          const submission = { digest: params.digest, bytes: Number(query.bytes) }
          request.piece = uploads.read(link.id, submission, Number(params.index))
          // `close` comes in any case, also when the page has gone before its piece was there.
          reply.raw.once('close', request.piece.end)
        },
      },
      (request) => {
        if (request.piece === null) throw new Error('this route does not read a piece')
        return { data: { pieces: request.piece.keep(rawBodyOf(request)) } }
      },
    )
  })
}

/** Fastify validates path and query after it has read the body. */
function requireForm(request: FastifyRequest): void {
  for (const [part, given] of [
    ['params', request.params],
    ['querystring', request.query],
  ] as const) {
    const validate = request.getValidationFunction(part)
    if (!validate) throw fail('internal_error')
    if (!validate(given)) throw validationError(validate.errors ?? [], part)
  }
}
