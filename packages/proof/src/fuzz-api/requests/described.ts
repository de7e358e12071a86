// The request side of openapi.json: the parameters and bodies of each operation. `caller.ts` of the server's tests judges the responses.

import { readFileSync } from 'node:fs'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { type Operation, operations } from '../../../../server/test/caller.ts'

export type Schema = {
  $ref?: string
  type?: string | readonly string[]
  enum?: readonly unknown[]
  const?: unknown
  anyOf?: readonly Schema[]
  oneOf?: readonly Schema[]
  format?: string
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  items?: Schema
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
  minProperties?: number
  maxProperties?: number
  propertyNames?: Schema
  additionalProperties?: boolean | Schema
  examples?: readonly unknown[]
}

type Parameter = { in?: string; name?: string; required?: boolean; schema?: Schema; example?: unknown }
type Described = { parameters?: Parameter[] }
type Document = {
  paths: Record<string, Record<string, Described>>
  components: { schemas: Record<string, Schema> }
}

const place = new URL('../../../../server/openapi.json', import.meta.url)
const document = JSON.parse(readFileSync(place, 'utf8')) as Document

/** Parameters of the query, by name. */
export function queryOf(operation: Operation): ReadonlyMap<string, Parameter & { schema: Schema }> {
  const described = document.paths[operation.path]?.[operation.method.toLowerCase()]?.parameters ?? []
  const found = new Map<string, Parameter & { schema: Schema }>()
  for (const parameter of described)
    if (parameter.in === 'query' && parameter.name && parameter.schema)
      found.set(parameter.name, { ...parameter, schema: parameter.schema })
  return found
}

export function resolved(schema: Schema): Schema {
  if (schema.$ref === undefined) return schema
  const found = document.components.schemas[schema.$ref.split('/').at(-1) ?? '']
  if (!found) throw new Error(`openapi.json has no ${schema.$ref}`)
  return resolved(found)
}

const ajv = new Ajv2020({ strict: false, allowUnionTypes: true, logger: false })
formats.default(ajv)
ajv.addSchema({ components: document.components, $id: 'described' })
const validators = new Map<string, ValidateFunction>()

/** Whether openapi.json allows this body. */
export function allowsBody(operation: Operation, body: unknown): boolean {
  if (operation.body === null) return true
  let validate = validators.get(operation.id)
  if (!validate) {
    validate = ajv.compile(JSON.parse(JSON.stringify(operation.body).replaceAll('"#/', '"described#/')) as Schema)
    validators.set(operation.id, validate)
  }
  return validate(body) === true
}

export function operationNamed(id: string): Operation {
  const found = operations.find((operation) => operation.id === id)
  if (!found) throw new Error(`openapi.json has no ${id}`)
  return found
}
