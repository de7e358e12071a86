// Reads the OpenAPI document for one operation: short texts for the help of a command, schemas for an assistant.

import { readFileSync } from 'node:fs'

export type Schema = { readonly [name: string]: unknown }
export type Parameter = { name: string; description: string }
export type Described = { summary: string; query: readonly Parameter[]; hasBody: boolean }
export type TypedParameter = Parameter & { schema: Schema }
export type Input = {
  /** The tag of the operation, such as `Virtual accounts`. */
  subject: string
  path: readonly TypedParameter[]
  query: readonly TypedParameter[]
  /** The JSON body, or null. */
  body: Schema | null
}

type RawParameter = { in?: string; name?: string; description?: string; schema?: Schema }
type RawOperation = {
  summary?: string
  tags?: string[]
  parameters?: RawParameter[]
  requestBody?: { content?: Record<string, { schema?: Schema; example?: Schema }> }
}
type Document = {
  tags: { name: string; description?: string }[]
  paths: Record<string, Record<string, RawOperation>>
  webhooks: Record<string, { post?: RawOperation }>
}

const path = new URL('../../../../server/openapi.json', import.meta.url)
let document: Document | null = null

function readDocument(): Document {
  document ??= JSON.parse(readFileSync(path, 'utf8')) as Document
  return document
}

const operationAt = (method: string, route: string): RawOperation =>
  readDocument().paths[route]?.[method.toLowerCase()] ?? {}

export function describeOperation(method: string, route: string): Described {
  const operation = operationAt(method, route)
  const { summary = '', requestBody } = operation
  return {
    summary: summary.charAt(0).toLowerCase() + summary.slice(1),
    query: parametersOf(operation, 'query').map(({ name, description }) => ({ name, description })),
    hasBody: requestBody !== undefined,
  }
}

/** Describes the input of an operation, with all references resolved. */
export function describeInput(method: string, route: string): Input {
  const operation = operationAt(method, route)
  const plain = (parameter: TypedParameter): TypedParameter => ({ ...parameter, schema: plainSchema(parameter.schema) })
  const body = operation.requestBody?.content?.['application/json']?.schema
  return {
    subject: operation.tags?.[0] ?? '',
    path: parametersOf(operation, 'path').map(plain),
    query: parametersOf(operation, 'query').map(plain),
    body: body ? plainSchema(body) : null,
  }
}

export const subjectText = (subject: string): string =>
  readDocument().tags.find(({ name }) => name === subject)?.description ?? ''

function parametersOf({ parameters = [] }: RawOperation, wanted: string): TypedParameter[] {
  return parameters.flatMap(({ in: place, name, description = '', schema = {} }) =>
    place === wanted && name ? [{ name, description: description.replaceAll('`', ''), schema }] : [],
  )
}

/** The server checks these rules. They are left out because they take room in an assistant's context. */
const checks = new Set(['pattern', 'minLength', 'maxLength', 'uniqueItems'])
const depthMax = 12

/** Replaces references by their schemas. */
function plainSchema(schema: Schema, depth = 0): Schema {
  if (depth > depthMax) return {}
  const { $ref, ...own } = schema
  const referred = typeof $ref === 'string' ? plainSchema(referredTo($ref), depth + 1) : {}
  const members = Object.entries(own).flatMap(([name, value]) =>
    checks.has(name) && typeof value !== 'object' ? [] : [[name, plainValue(value, depth + 1)] as const],
  )
  return { ...referred, ...Object.fromEntries(members) }
}

function plainValue(value: unknown, depth: number): unknown {
  if (Array.isArray(value)) return value.map((item) => plainValue(item, depth))
  return typeof value === 'object' && value !== null ? plainSchema(value as Schema, depth) : value
}

function referredTo(reference: string): Schema {
  const names = reference.split('/').slice(1)
  return names.reduce<Schema>((at, name) => (at[name] ?? {}) as Schema, readDocument() as unknown as Schema)
}

/** @returns the example body of a webhook of this type */
export function exampleWebhook(type: string): Schema {
  const example = readDocument().webhooks[type]?.post?.requestBody?.content?.['application/json']?.example
  if (!example) throw new Error(`the document shows no ${type}`)
  return example
}
