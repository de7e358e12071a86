// The body of a submission that has come in pieces: it is read by the parser of a body that comes whole, within the same limits.

import type { FastifyReply, FastifyRequest, RequestPayload } from 'fastify'
import { Type } from 'typebox'
import { fail, isRetryable } from '../../platform/errors.ts'
import type { Uploads } from './uploads.ts'

export const digest = Type.String({
  pattern: '^[0-9a-f]{64}$',
  errorText: 'must be a SHA-256 in lower-case hexadecimal digits',
})

/**
 * Puts the pieces that the query names with `upload` in the place of the body. They are dropped with the answer, unless the
 * same request may succeed later, or the answer was lost.
 * @throws ApiError `upload_incomplete`, `invalid_query` where there is a body as well
 */
export function payloadOf(
  uploads: Uploads,
  pageId: string,
  request: FastifyRequest,
  reply: FastifyReply,
  payload: RequestPayload,
): RequestPayload {
  const { upload } = request.query as { upload?: unknown }
  if (typeof upload !== 'string') return payload
  const { headers } = request.raw
  if (Number(headers['content-length'] ?? 0) > 0 || headers['transfer-encoding'] !== undefined) {
    const message = 'upload is for a request without a body.'
    throw fail('invalid_query', { message, details: [{ param: 'upload', code: 'invalid_value', message }] })
  }
  const pieces = uploads.open(pageId, upload)
  headers['content-type'] = 'application/json'
  reply.raw.once('finish', () => {
    if (request.errorCode === null || !isRetryable(request.errorCode)) uploads.drop(pageId, upload)
  })
  return pieces
}
