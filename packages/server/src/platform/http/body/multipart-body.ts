// Bodies of `multipart/form-data`, for routes that allow them. The part `data` is the JSON body. Each further part is a
// file, named after its place in that JSON, e.g. `identifying_information[0].image_front`. A file becomes a `data:` URI
// while it arrives, so it is held once and the JSON reads as if sent alone.

import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { Busboy, type BusboyHeaders } from '@fastify/busboy'
import type { FastifyRequest } from 'fastify'
import { type ErrorDetail, fail } from '../../errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../../values/json.ts'
import type { App } from '../app.ts'
import type { BodyLimits } from '../limits.ts'
import { bodyLimitsOf, parseJson, readMeasured } from './json-body.ts'
import { jsonMeter, tooLarge } from './json-meter.ts'

const partsMax = 100
const nameBytesMax = 200
const dataName = 'data'

/** `content` in base64. */
type Part = { name: string; mediaType: string; content: string } | { name: typeof dataName; json: Buffer }

/** Adds the parser of `multipart/form-data`, for routes with `config.multipart`. */
export function readMultipartBodies(app: App): void {
  app.addContentTypeParser('multipart/form-data', async (request: FastifyRequest, payload: IncomingMessage) => {
    if (!request.routeOptions.config.multipart) throw fail('unsupported_media_type')
    return assembled(await partsOf(payload, request.headers as BusboyHeaders, bodyLimitsOf(request)))
  })
}

const malformed = (message: string) => fail('invalid_multipart', { message })

async function partsOf(payload: IncomingMessage, headers: BusboyHeaders, limits: BodyLimits): Promise<Part[]> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const parts: Promise<Part>[] = []
  let reader: InstanceType<typeof Busboy>
  try {
    const partLimits = { parts: partsMax, fieldNameSize: nameBytesMax, headerPairs: 20, headerSize: 4_096 }
    reader = Busboy({ headers, limits: partLimits, isPartAFile: () => true })
  } catch {
    throw malformed('The Content-Type has no boundary.')
  }
  reader.on('file', (name, stream, _filename, _encoding, mediaType) => {
    const part = partOf(name ?? '', stream, mediaType, limits)
    part.catch(reject)
    parts.push(part)
  })
  reader.on('partsLimit', () => reject(malformed(`The body has more than ${partsMax} parts.`)))
  reader.on('error', () => reject(malformed('The multipart body is not well-formed.')))
  reader.on('finish', () => resolve())
  let bytes = 0
  payload.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > limits.bytesMax) reject(tooLarge(limits))
  })
  payload.on('error', reject)
  payload.on('aborted', () => reject(malformed('The body is incomplete.')))
  payload.pipe(reader)
  try {
    await promise
    return await Promise.all(parts)
  } catch (error) {
    payload.unpipe(reader)
    payload.resume() // read and discard the rest
    throw error
  }
}

/** Reads a part. Files are converted to base64, three bytes at a time. */
async function partOf(name: string, stream: Readable, mediaType: string, limits: BodyLimits): Promise<Part> {
  if (name === dataName) return { name, json: await readMeasured(stream, jsonMeter(limits)) }
  let [content, rest] = ['', Buffer.alloc(0)]
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk
    const whole = bytes.length - (bytes.length % 3)
    content += bytes.toString('base64', 0, whole)
    rest = Buffer.from(bytes.subarray(whole))
  }
  return { name, mediaType, content: content + rest.toString('base64') }
}

function assembled(parts: readonly Part[]): JsonObject {
  const [data, ...more] = parts.filter((part) => 'json' in part)
  if (!data || more.length > 0) throw malformed('The body must have one part named `data` that contains the JSON.')
  const body = parseJson(data.json) as Json
  if (!isJsonObject(body)) throw fail('body_required')
  const details = parts.flatMap((part) => ('json' in part ? [] : (placed(body, part) ?? [])))
  if (details.length > 0) throw fail('invalid_multipart', { details })
  return body
}

/** Puts a file into its place in the JSON. @returns the problem with the place; null if the file was put there */
function placed(
  body: JsonObject,
  { name, mediaType, content }: Extract<Part, { content: string }>,
): ErrorDetail | null {
  const wrong = (param: string, rule: string): ErrorDetail => ({
    param,
    code: 'invalid_multipart',
    message: `A file's part ${rule}.`,
  })
  if (!/^(?:[a-z_]+(?:\[\d{1,3}\])?\.)*(?:image|image_front|image_back|file)$/.test(name))
    return wrong(
      '',
      'must be named after the field it fills in `data`, such as `identifying_information[0].image_front`',
    )
  const steps = name.replace(/\[(\d+)\]/g, '.$1').split('.')
  const last = steps.pop() ?? ''
  let place: Json | undefined = body
  for (const step of steps) place = memberOf(place, step)
  if (isJsonObject(place) && Object.hasOwn(place, last)) return wrong(name, 'names a field that already has a value')
  if (!isJsonObject(place)) return wrong(name, 'names a field that does not exist in `data`')
  const type = /^[\w.+-]+\/[\w.+-]+$/.test(mediaType) ? mediaType : 'application/octet-stream'
  place[last] = `data:${type};base64,${content}`
  return null
}

function memberOf(place: Json | undefined, step: string): Json | undefined {
  if (Array.isArray(place)) return place[Number(step)]
  return isJsonObject(place) && Object.hasOwn(place, step) ? place[step] : undefined
}
