// The provider's published OpenAPI document as a judge of requests and a source of examples. It is not part of this
// repository: see scripts/test-needs.ts for where it is looked for.

import { readFileSync } from 'node:fs'
import { Ajv, type ValidateFunction } from 'ajv'
import formats from 'ajv-formats'
import { lacking, wireReferencePath } from '../../../scripts/test-needs.ts'
import { isJsonObject, type Json, type JsonObject } from '../src/platform/values/json.ts'
import type { SeenRequest } from './scripted-upstream.ts'

/** False, or the one line that says why tests against the reference are skipped. */
export const referenceMissing = lacking('reference')

export type WireExample = {
  /** e.g. `POST /customers 201 IndividualCustomerCreated`. */
  name: string
  operation: string
  status: number
  value: Json
}

/** `place` is the operation and where in its request, e.g. `POST /customers body/endorsements/*`. */
export type WireProblem = { place: string; rule: string }

export type WireReference = {
  /** Differences between the request and the reference; empty if it is as documented. */
  problemsOf(request: SeenRequest): WireProblem[]
  /** e.g. `POST /customers/{customerID}/virtual_accounts`; null when no operation has that path and method. */
  operationOf(request: SeenRequest): string | null
  operations: string[]
  /** Every example of every response of every operation, references resolved. */
  examples(): WireExample[]
}

export function openWireReference(): WireReference {
  const document = readObject(JSON.parse(readFileSync(wireReferencePath ?? '', 'utf8')))
  const operations = operationsOf(document)
  const ajv = new Ajv({ strict: false, allErrors: true })
  formats.default(ajv)
  // The document writes a fee's bounds as `minimum` and `maximum` of a string, where JSON Schema ignores them.
  ajv.addFormat('number', (text) => /^\d+(\.\d+)?$/.test(text) && Number(text) < 100)
  ajv.addSchema({ ...readObject(toJsonSchema(document)), $id: 'wire' })
  const validators = new Map<JsonObject, ValidateFunction>()
  const validatorOf = (schema: JsonObject) => {
    const known = validators.get(schema) ?? ajv.compile(absolute(toJsonSchema(schema)))
    validators.set(schema, known)
    return known
  }
  const find = (request: SeenRequest) =>
    operations.find(
      (operation) => operation.method === request.method && operation.pattern.test(pathBelowBase(request)),
    )
  return {
    operations: operations.map((operation) => operation.name),
    operationOf: (request) => find(request)?.name ?? null,
    problemsOf(request) {
      const operation = find(request)
      if (!operation)
        return [{ place: `${request.method} ${pathBelowBase(request)}`, rule: 'the operation is not documented' }]
      const found = [
        ...parameterProblems(operation, request, validatorOf),
        ...bodyProblems(operation, request, validatorOf),
      ]
      return found.map(([part, rule]) => ({ place: `${operation.name} ${part}`, rule }))
    },
    examples: () => operations.flatMap((operation) => examplesOf(document, operation)),
  }
}

type Operation = {
  name: string
  method: string
  pattern: RegExp
  parameters: { name: string; in: string; required: boolean; schema: JsonObject }[]
  body: JsonObject | null
  responses: JsonObject
}

type ValidatorOf = (schema: JsonObject) => ValidateFunction

function operationsOf(document: JsonObject): Operation[] {
  const paths = Object.entries(readObject(document['paths'] ?? {}))
  // Fewer templates first, or `/customers/tos_links` would read as a customer's id.
  paths.sort(([one], [other]) => one.split('{').length - other.split('{').length)
  return paths.flatMap(([path, item]) => {
    const shared = listOf(readObject(item)['parameters'])
    return Object.entries(readObject(item))
      .filter(([method]) => /^(get|post|put|delete)$/.test(method))
      .map(([method, value]) => {
        const operation = readObject(value)
        const body = operation['requestBody']
        return {
          name: `${method.toUpperCase()} ${path}`,
          method: method.toUpperCase(),
          pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`),
          parameters: [...shared, ...listOf(operation['parameters'])].map((entry) => readParameter(document, entry)),
          body: body === undefined ? null : jsonSchemaOf(readObject(body)),
          responses: readObject(operation['responses'] ?? {}),
        }
      })
  })
}

function readParameter(document: JsonObject, entry: Json): Operation['parameters'][number] {
  const parameter = readObject(resolveReferences(document, entry, 1))
  return {
    name: String(parameter['name']),
    in: String(parameter['in']),
    required: parameter['required'] === true,
    schema: readObject(parameter['schema'] ?? {}),
  }
}

function jsonSchemaOf(holder: JsonObject): JsonObject {
  const content = readObject(readObject(holder['content'] ?? {})['application/json'] ?? {})
  return readObject(content['schema'] ?? {})
}

/** Where in the request, and the rule that is broken there. */
type PartProblem = [part: string, rule: string]

function parameterProblems(operation: Operation, request: SeenRequest, validatorOf: ValidatorOf): PartProblem[] {
  const known = (place: string) => operation.parameters.filter((parameter) => parameter.in === place)
  const problems: PartProblem[] = []
  for (const [name, text] of request.url.searchParams) {
    const parameter = known('query').find((each) => each.name === name)
    const value = parameter?.schema['type'] === 'integer' ? Number(text) : text
    if (!parameter) problems.push([`query/${name}`, 'is not documented'])
    else if (!validatorOf(parameter.schema)(value)) problems.push([`query/${name}`, 'is not as documented'])
  }
  const keyed = known('header').some((parameter) => parameter.name === 'Idempotency-Key' && parameter.required)
  const key = request.headers['idempotency-key']
  if (keyed && !key) problems.push(['header/Idempotency-Key', 'is required'])
  if (!keyed && key !== undefined) problems.push(['header/Idempotency-Key', 'is not documented'])
  if (!request.headers['api-key']) problems.push(['header/Api-Key', 'is required'])
  return problems
}

function bodyProblems(operation: Operation, request: SeenRequest, validatorOf: ValidatorOf): PartProblem[] {
  if (!operation.body) return request.body === '' ? [] : [['body', 'is not documented']]
  if (request.headers['content-type'] !== 'application/json') return [['header/content-type', 'is not JSON']]
  const validate = validatorOf(operation.body)
  if (validate(JSON.parse(request.body))) return []
  return (validate.errors ?? []).filter(isLeaf).map((error): PartProblem => {
    const { additionalProperty, missingProperty } = error.params as Partial<Record<string, string>>
    const name = additionalProperty ?? missingProperty
    const part = `${error.instancePath}${name === undefined ? '' : `/${name}`}`.replace(/\/\d+(?=\/|$)/g, '/*')
    return [`body${part}`, error.message ?? error.keyword]
  })
}

/** Combining keywords only repeat what a part of them has reported. */
function isLeaf(error: { keyword: string }): boolean {
  return !['if', 'allOf', 'anyOf', 'oneOf'].includes(error.keyword)
}

function pathBelowBase(request: SeenRequest): string {
  return request.url.pathname.replace(/^\/v0/, '')
}

/**
 * OpenAPI 3.0 → JSON Schema: `nullable`, the boolean `exclusiveMaximum`, and a discriminated `oneOf`, whose members are
 * not exclusive without it. Unknown members are refused: the document does not, and a misspelt field would pass.
 */
function toJsonSchema(value: Json): Json {
  if (Array.isArray(value)) return value.map(toJsonSchema)
  if (!isJsonObject(value)) return value
  const { nullable, exclusiveMaximum, discriminator, example: _example, ...rest } = value
  const schema = Object.fromEntries(Object.entries(rest).map(([key, inner]) => [key, toJsonSchema(inner)]))
  if (nullable === true && typeof schema['type'] === 'string') schema['type'] = [schema['type'], 'null']
  if (exclusiveMaximum === true && schema['maximum'] !== undefined) schema['exclusiveMaximum'] = schema['maximum']
  if (isJsonObject(value['properties']) && !('additionalProperties' in schema)) schema['additionalProperties'] = false
  if (isJsonObject(discriminator) && Array.isArray(schema['oneOf'])) return chosenBy(discriminator, schema['oneOf'])
  return schema
}

function chosenBy(discriminator: JsonObject, members: Json[]): JsonObject {
  const property = String(discriminator['propertyName'])
  const mapping = Object.entries(readObject(discriminator['mapping'] ?? {}))
  const mapped = mapping.map(([, reference]) => reference)
  const unmapped = members.filter((member) => isJsonObject(member) && !mapped.includes(member['$ref'] ?? null))
  const choices: JsonObject[] = mapping.map(([value, $ref]) => ({
    if: { required: [property], properties: { [property]: { const: value } } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { $ref },
  }))
  const otherwise = unmapped.length > 0 ? { anyOf: unmapped } : { required: [property] }
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  choices.push({ if: { not: { required: [property] } }, then: otherwise })
  return { allOf: choices }
}

/** Local references of a part of the document, made to point into the whole. */
function absolute(value: Json): JsonObject {
  return readObject(JSON.parse(JSON.stringify(value).replaceAll('"#/', '"wire#/')))
}

function examplesOf(document: JsonObject, operation: Operation): WireExample[] {
  return Object.entries(operation.responses).flatMap(([status, response]) => {
    const content = readObject(readObject(resolveReferences(document, response, 1))['content'] ?? {})
    const examples = readObject(readObject(content['application/json'] ?? {})['examples'] ?? {})
    return Object.entries(examples).map(([key, example]) => ({
      name: `${operation.name} ${status} ${key}`,
      operation: operation.name,
      status: Number(status),
      value: mended(unwrapped(resolveReferences(document, example, Number.POSITIVE_INFINITY))),
    }))
  })
}

/** Replaces `{$ref}` by what it points to, `levels` deep. */
function resolveReferences(document: JsonObject, value: Json, levels: number): Json {
  if (Array.isArray(value)) return value.map((entry) => resolveReferences(document, entry, levels))
  if (!isJsonObject(value)) return value
  const reference = value['$ref']
  if (typeof reference === 'string') {
    if (levels === 0) return value
    const steps = reference.replace(/^#\//, '').split('/')
    const target = steps.reduce<Json>((place, step) => readObject(place)[step] ?? null, document)
    return resolveReferences(document, target, levels - 1)
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, resolveReferences(document, inner, levels)]),
  )
}

/** `{summary?, value}` is OpenAPI's wrapping of an example; references to whole examples leave it inside lists too. */
function unwrapped(value: Json): Json {
  if (Array.isArray(value)) return value.map(unwrapped)
  if (!isJsonObject(value)) return value
  const isWrapping = 'value' in value && Object.keys(value).every((key) => wrappingKeys.has(key))
  if (isWrapping) return unwrapped(value['value'] ?? null)
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, unwrapped(inner)]))
}

const wrappingKeys: ReadonlySet<string> = new Set(['summary', 'description', 'value'])

/** Slip of the document: a stray quote at the end of some names (`bank_account_number"`). */
function mended(value: Json): Json {
  if (Array.isArray(value)) return value.map(mended)
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key.replace(/"$/, ''), mended(inner)]))
}

function readObject(value: Json): JsonObject {
  if (!isJsonObject(value)) throw new Error('the reference holds something else where an object belongs')
  return value
}

function listOf(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : []
}
