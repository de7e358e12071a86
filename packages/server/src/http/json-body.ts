// Reads request bodies: JSON and nothing else, as deep as we allow, no matter how it is spelled.

import type { FastifyRequest } from 'fastify'
import { fail } from '../errors.ts'
import type { App } from './app.ts'
import { jsonDepthMax } from './limits.ts'

export function readJsonBodies(app: App): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    try {
      done(null, bodyOf(request, body as Buffer))
    } catch (error) {
      done(error as Error)
    }
  })
}

/** The body of a route with `config.rawBody`, byte for byte; empty when none was sent. */
export function rawBodyOf(request: { body: unknown }): Buffer {
  return Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
}

function bodyOf(request: FastifyRequest, bytes: Buffer): unknown {
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(request.headers['content-type'] ?? '')?.[1]
  if (charset !== undefined && !/^utf-?8$/i.test(charset)) throw fail('unsupported_media_type')
  if (request.routeOptions.config.rawBody) return bytes
  return bytes.length === 0 ? undefined : parseJson(bytes)
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** @throws ApiError `invalid_json`, `json_too_deep` */
export function parseJson(bytes: Buffer): unknown {
  let value: unknown
  try {
    value = JSON.parse(utf8.decode(bytes))
  } catch {
    // The parser's own message quotes the body.
    throw fail('invalid_json')
  }
  checkShape(value)
  return value
}

/** Without recursion, so that depth costs no stack. */
function checkShape(root: unknown): void {
  let level = [root]
  for (let depth = 0; level.length > 0; depth++) {
    const below: unknown[] = []
    for (const value of level) {
      if (typeof value !== 'object' || value === null) continue
      if (depth === jsonDepthMax) throw fail('json_too_deep')
      // A member of this name changes what an object is as soon as somebody copies it.
      if (Object.hasOwn(value, '__proto__')) throw fail('invalid_json', { message: 'The body has a reserved name.' })
      for (const member of Object.values(value)) if (typeof member === 'object' && member !== null) below.push(member)
    }
    level = below
  }
}
