// Bodies that are bytes: `application/octet-stream`, within the limit of the route, which is held while they are read.

import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import type { App } from '../app.ts'
import { bodyLimitsOf, readMeasured } from './json-body.ts'
import { tooLarge } from './json-meter.ts'

/** Makes `application/octet-stream` the only media type of bodies in this scope. A route with `config.rawBody` gets the bytes. */
export function readBytesBodies(scope: App): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('application/octet-stream', async (request: FastifyRequest, payload: IncomingMessage) => {
    const limits = bodyLimitsOf(request)
    let bytes = 0
    return await readMeasured(payload, (chunk) => {
      bytes += chunk.length
      if (bytes > limits.bytesMax) throw tooLarge(limits)
    })
  })
}
