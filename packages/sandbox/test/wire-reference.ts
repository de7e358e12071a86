// The provider's document as a validator of responses and of accepted request bodies. Every complaint must be a deviation in
// wire-deviations.ts, each of which WIRE.md explains.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import { lacking, wireReferencePath } from '../../../scripts/test-needs.ts'
import type { Deviations, Schema } from './wire-deviations.ts'

/** The reason to skip, or false when the document is present. */
export const withoutReference = lacking('reference')

type Content = { content?: Record<string, { schema: Schema }> }
type Operation = { responses: Record<string, Content & { $ref?: string }>; requestBody?: Content }
type Reference = {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema>; responses: Record<string, Content> }
}

export type Judge = {
  operations: { method: string; path: string; statuses: string[] }[]
  /** Fails when the document does not allow this body for the operation and status. */
  judgeAnswer(method: string, path: string, status: number, body: unknown): void
  /** Returns the places of the document that a request body breaks. */
  complaintsAbout(method: string, path: string, body: unknown): string[]
  /** Fails when an accepted body breaks the document at a place that is not a deviation. */
  judgeRequest(method: string, path: string, body: unknown): void
  /** Returns the schema of a request body. `resolve` follows one reference. */
  requestSchema(method: string, path: string, body: unknown): Schema | undefined
  resolve(schema: Schema): Schema
  /** Returns the properties that the document describes for a schema. */
  propertiesOf(schema: string): string[]
  /** The deviations that occurred. */
  occurred: ReadonlySet<string>
}

export const readReference = (deviations: Deviations): Judge => {
  const reference = JSON.parse(readFileSync(wireReferencePath ?? '', 'utf8')) as Reference
  const components = plain(reference.components) as Reference['components']
  const closed = closedOf(components) as Reference['components']
  const places = new Map<unknown, string>()
  for (const { schemas } of [components, closed]) notePlaces(places, schemas, '')
  const ajv = new Ajv({ strict: false, allErrors: true, verbose: true })
  addFormats.default(ajv)
  // The document's name for a decimal in a string.
  ajv.addFormat('number', /^\d+(\.\d+)?$/)
  ajv.addSchema({ $id: 'wire', components })
  ajv.addSchema({ $id: 'answers', components: closed })
  const compiled = new Map<string, ValidateFunction>()
  const occurred = new Set<string>()

  const complaints = (id: string, schema: Schema, body: unknown): ErrorObject[] => {
    const validate = compiled.get(id) ?? compile(id, schema)
    compiled.set(id, validate)
    return validate(body) ? [] : (validate.errors ?? [])
  }
  const compile = (id: string, schema: Schema): ValidateFunction => {
    notePlaces(places, schema, id)
    return ajv.compile(schema)
  }
  /** The place in the document: `Customer.properties.status.enum`, or the operation and the place in its schema. */
  const placeOf = ({ parentSchema, keyword, params }: ErrorObject): string =>
    `${places.get(parentSchema)}.${keyword === surplus ? `properties.${params['additionalProperty']}` : keyword}`
  const dataOf = ({ keyword, params, data }: ErrorObject): unknown =>
    keyword === surplus ? Object(data)[params['additionalProperty']] : data
  /** Removes complaints that are deviations, and records that those occurred. */
  const unexpected = (listed: Record<string, Schema>, errors: ErrorObject[]): string[] =>
    errors.flatMap((error) => {
      const place = placeOf(error)
      const instead = listed[place]
      if (instead === undefined || !ajv.validate(instead, dataOf(error))) {
        const found = JSON.stringify(dataOf(error))?.slice(0, 200)
        return [`${place}: ${error.instancePath} ${error.message}, but is ${found}`]
      }
      occurred.add(place)
      return []
    })
  const operationAt = (method: string, path: string): Operation => {
    const operation = reference.paths[path]?.[method.toLowerCase()]
    assert.ok(operation, `${method} ${path} is not in the document`)
    return operation
  }
  const requestSchema = (method: string, path: string, body: unknown): Schema | undefined => {
    const schema = operationAt(method, path).requestBody?.content?.['application/json']?.schema
    return schema && chosenBy(schema, body)
  }
  const requestErrors = (method: string, path: string, body: unknown): ErrorObject[] => {
    const schema = requestSchema(method, path, body)
    const id = `${method} ${path} takes ${JSON.stringify(schema)?.slice(0, 100)}`
    return schema ? complaints(id, plain(schema) as Schema, body) : []
  }
  return {
    operations: Object.entries(reference.paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([method]) => ['get', 'post', 'put', 'delete'].includes(method))
        .map(([method, { responses }]) => ({
          method: method.toUpperCase(),
          path,
          statuses: Object.keys(responses),
        })),
    ),
    judgeAnswer: (method, path, status, body) => {
      const response = operationAt(method, path).responses[status]
      const named = response?.$ref?.split('/').at(-1)
      // A refusal that the document does not describe for the operation has the schema of its other refusals.
      const described = named === undefined ? response : reference.components.responses[named]
      const schema = described?.content?.['application/json']?.schema ?? { $ref: '#/components/schemas/Error' }
      const id = `${method} ${path} ${status}`
      const found = unexpected(deviations.answers, complaints(id, closedOf(plain(schema)) as Schema, body))
      assert.deepEqual(found, [], `${id}: ${JSON.stringify(body)}`)
    },
    complaintsAbout: (method, path, body) => requestErrors(method, path, body).map(placeOf),
    judgeRequest: (method, path, body) => {
      const errors = requestErrors(method, path, body)
      assert.deepEqual(unexpected(deviations.requests, errors), [], `the sandbox takes what ${method} ${path} refuses`)
    },
    requestSchema,
    resolve: (schema) => {
      const name = typeof schema['$ref'] === 'string' ? schema['$ref'].split('/').at(-1) : undefined
      return name === undefined ? schema : (reference.components.schemas[name] ?? {})
    },
    propertiesOf: (schema) => Object.keys((components.schemas[schema]?.['properties'] as Schema) ?? {}),
    occurred,
  }
}

const surplus = 'additionalProperties'

/** Makes the schemas strict, so that a property that the document does not have is found. */
const closedOf = (node: unknown): unknown => {
  if (Array.isArray(node)) return node.map(closedOf)
  if (typeof node !== 'object' || node === null) return node
  const schema = Object.fromEntries(
    Object.entries(node).map(([name, value]) => [
      name,
      name === '$ref' ? String(value).replace(/^wire#/, 'answers#') : closedOf(value),
    ]),
  )
  // The parts of an allOf share their properties.
  if (Array.isArray(schema['allOf'])) for (const part of schema['allOf']) delete part[surplus]
  return 'properties' in schema ? { ...schema, [surplus]: false } : schema
}

/** Records the place in the document of every schema within `node`. */
const notePlaces = (places: Map<unknown, string>, node: unknown, place: string): void => {
  if (typeof node !== 'object' || node === null) return
  places.set(node, place)
  for (const [name, value] of Object.entries(node)) notePlaces(places, value, place === '' ? name : `${place}.${name}`)
}

/** Picks the body that the discriminator names, or else the last one, which is the partial body of a business. */
const chosenBy = (schema: Schema, body: unknown): Schema | undefined => {
  const { discriminator, oneOf } = schema as {
    discriminator?: { propertyName: string; mapping: Record<string, string> }
    oneOf?: Schema[]
  }
  if (!discriminator) return schema
  const named = discriminator.mapping[String(Object(body)[discriminator.propertyName])]
  return named === undefined ? oneOf?.at(-1) : { $ref: named }
}

/** Turns OpenAPI 3.0 into JSON Schema, without the bounds of draft 4, which wire-requests.test.ts covers. */
const plain = (node: unknown): unknown => {
  if (Array.isArray(node)) return node.map(plain)
  if (typeof node !== 'object' || node === null) return node
  const {
    exclusiveMaximum: _max,
    exclusiveMinimum: _min,
    example: _example,
    discriminator: _by,
    ...rest
  } = node as Schema
  const schema = Object.fromEntries(
    Object.entries(rest).map(([name, value]) => [
      name,
      name === '$ref' ? String(value).replace(/^#/, 'wire#') : plain(value),
    ]),
  )
  // The document omits the type of schemas with properties.
  return 'properties' in schema && !('type' in schema) ? { type: 'object', ...schema } : schema
}
