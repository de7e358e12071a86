// What the reference page reads of our own OpenAPI document, as types; and the few ways to look something up in it.

type Bound = 'minimum' | 'maximum' | `${'min' | 'max'}${'Length' | 'Items' | 'Properties'}`

export type Schema = Readonly<Partial<Record<Bound, number>>> & {
  $ref?: string
  type?: string | readonly string[]
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
  uniqueItems?: boolean
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

type Content = Readonly<Record<string, { schema: Schema; example?: unknown; examples?: object }>>

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
  'x-error-codes': Readonly<Record<string, readonly string[]>>
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

/** Reads the last part of a reference: `#/components/schemas/Deposit` names `Deposit`. */
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

export function parametersOf({ components }: ApiDocument, { parameters = [] }: Operation): Parameter[] {
  return parameters.map((one) => resolved(one, components.parameters))
}

/** Puts each enumeration in the place of the references to it: a reader wants its words beside the field. */
export function withEnumerationsInPlace(document: ApiDocument): ApiDocument {
  const { components } = document
  const isEnumeration = ({ enum: words }: Schema) => words !== undefined
  const inPlace = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(inPlace)
    if (typeof node !== 'object' || node === null) return node
    const { anyOf, ...schema } = Object.fromEntries(
      Object.entries(node).map(([name, value]) => [name, inPlace(value)]),
    ) as Schema
    const [first] = anyOf ?? []
    if (first?.enum && anyOf?.[1]?.type === 'null') return { ...first, ...schema, type: ['string', 'null'] }
    const target = schema.$ref === undefined ? undefined : components.schemas[nameOf(schema.$ref)]
    if (!target || !isEnumeration(target)) return { ...schema, ...(anyOf && { anyOf }) }
    const { $ref: _, ...beside } = schema
    return { ...target, ...beside }
  }
  const schemas = Object.entries(components.schemas).filter(([, schema]) => !isEnumeration(schema))
  return inPlace({ ...document, components: { ...components, schemas: Object.fromEntries(schemas) } }) as ApiDocument
}

/** Lists the types a value may have, `null` among them. */
export function typesOf({ type = [] }: Schema): readonly string[] {
  return typeof type === 'string' ? [type] : type
}
