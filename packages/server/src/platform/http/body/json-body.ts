// Reads request bodies: JSON and nothing else, within the limits of the route, which are held before anything is parsed.

import type { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { fail } from '../../errors.ts'
import type { App } from '../app.ts'
import { type BodyLimits, ordinaryBody } from '../limits.ts'
import { jsonMeter, tooLarge } from './json-meter.ts'

export function readJsonBodies(app: App): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', (request, payload, done) => {
    try {
      const limits = bodyLimitsOf(request)
      refuseCharset(request)
      readMeasured(payload, jsonMeter(limits), (error, bytes) => {
        if (error) return done(error)
        try {
          done(null, bodyOf(request, bytes))
        } catch (fault) {
          done(fault as Error)
        }
      })
    } catch (error) {
      done(error as Error)
    }
  })
}

/**
 * The limits for this body, which were held against what its headers announce.
 * @throws ApiError `payload_too_large`, `unsupported_media_type` where the body is packed
 */
export function bodyLimitsOf({ headers, routeOptions }: FastifyRequest): BodyLimits {
  const coding = headers['content-encoding']
  if (coding !== undefined && coding.toLowerCase() !== 'identity')
    throw fail('unsupported_media_type', {
      message: 'The Content-Encoding of the body is not supported.',
      headers: { 'accept-encoding': 'identity' },
    })
  const limits = routeOptions.config.bodyLimits ?? ordinaryBody
  if (Number(headers['content-length'] ?? 0) > limits.bytesMax) throw tooLarge(limits)
  return limits
}

/** Nothing of the body is kept once `measure` throws: whoever answers drops what is still to come. */
function readMeasured(
  payload: Readable,
  measure: (chunk: Buffer) => void,
  done: (error: Error | null, bytes: Buffer) => void,
): void {
  const chunks: Buffer[] = []
  const end = (error: Error | null): void => {
    payload.off('data', take).off('end', finish).off('error', end)
    done(error, error ? Buffer.alloc(0) : Buffer.concat(chunks))
  }
  const finish = (): void => end(null)
  const take = (chunk: Buffer): void => {
    try {
      measure(chunk)
      chunks.push(chunk)
    } catch (error) {
      end(error as Error)
    }
  }
  payload.on('data', take).on('end', finish).on('error', end)
}

/** The body of a route with `config.rawBody`, byte for byte; empty when none was sent. */
export function rawBodyOf(request: { body: unknown }): Buffer {
  return Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
}

function refuseCharset({ headers }: FastifyRequest): void {
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(headers['content-type'] ?? '')?.[1]
  if (charset !== undefined && !/^utf-?8$/i.test(charset)) throw fail('unsupported_media_type')
}

function bodyOf(request: FastifyRequest, bytes: Buffer): unknown {
  if (request.routeOptions.config.rawBody) return bytes
  return bytes.length === 0 ? undefined : parseJson(bytes)
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** @param bytes measured by a `jsonMeter`, so that there are few members to look at @throws ApiError `invalid_json` */
export function parseJson(bytes: Buffer): unknown {
  let value: unknown
  try {
    value = JSON.parse(utf8.decode(bytes))
  } catch {
    // The parser's own message quotes the body.
    throw fail('invalid_json')
  }
  refuseReservedNames(value)
  return value
}

/** A member named `__proto__` changes what an object is as soon as somebody copies it. */
function refuseReservedNames(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  if (Object.hasOwn(value, '__proto__')) throw fail('invalid_json', { message: 'The body has a reserved name.' })
  for (const member of Object.values(value)) refuseReservedNames(member)
}
