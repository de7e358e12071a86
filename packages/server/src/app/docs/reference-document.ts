// What the reference page reads of our own OpenAPI document, as types; and the few ways to look something up in it.

export type Schema = {
  $ref?: string
  type?: string | readonly string[]
  title?: string
  description?: string
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
  items?: Schema
  anyOf?: readonly Schema[]
  additionalProperties?: boolean | Schema
  enum?: readonly unknown[]
  default?: unknown
  examples?: readonly unknown[]
  format?: string
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  uniqueItems?: boolean
  minProperties?: number
  maxProperties?: number
  propertyNames?: Schema
}

export type Parameter = {
  $ref?: string
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  description?: string
  schema: Schema
  example?: unknown
}

type Content = Readonly<
  Record<string, { schema: Schema; example?: unknown; examples?: Readonly<Record<string, unknown>> }>
>

export type Answer = { $ref?: string; description?: string; content?: Content }

export type Operation = {
  operationId?: string
  summary: string
  description?: string
  tags: readonly string[]
  security: readonly Readonly<Record<string, readonly string[]>>[]
  parameters?: readonly Parameter[]
  requestBody?: { required?: boolean; content: Content }
  responses: Readonly<Record<string, Answer>>
}

export type ApiDocument = {
  info: { title: string; description: string }
  tags: readonly { name: string; description: string }[]
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  webhooks: Readonly<Record<string, { post: Operation }>>
  components: Readonly<{
    schemas: Readonly<Record<string, Schema>>
    responses: Readonly<Record<string, Answer>>
    parameters: Readonly<Record<string, Parameter>>
  }>
}

/** The last part of a reference: `#/components/schemas/Deposit` names `Deposit`. */
export function nameOf(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1)
}

/** @throws Error when the reference leads nowhere: the document is our own, so that is a bug */
export function resolved<T extends { $ref?: string }>(found: T, components: Readonly<Record<string, T>>): T {
  if (found.$ref === undefined) return found
  const target = components[nameOf(found.$ref)]
  if (!target) throw new Error(`the API document lacks ${found.$ref}`)
  return target
}

/** The types it may have; null is told apart. */
export function typesOf(schema: Schema): string[] {
  if (schema.type === undefined) return []
  return typeof schema.type === 'string' ? [schema.type] : [...schema.type]
}
