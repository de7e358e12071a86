// The operations of the OpenAPI document by the place of their page.
import openapi from '../../../packages/server/openapi.json'

export type Schema = {
  $ref?: string
  type?: string | string[]
  description?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  enum?: unknown[]
}
type Media = { schema?: Schema; example?: unknown; examples?: Record<string, { value?: unknown }> }
type Parameter = { $ref?: string; name: string; in: string; required?: boolean; description?: string }
type Body = { content?: Record<string, Media> }

export type Operation = {
  operationId: string
  summary: string
  description?: string
  method: string
  path: string
  parameters?: Parameter[]
  requestBody?: Body
  responses: Record<string, Body>
  'x-codeSamples'?: { lang: string; label: string; source: string }[]
  'x-error-codes'?: Record<string, string[]>
}

export const operations: ReadonlyMap<string, Operation> = new Map(
  Object.entries(openapi.paths as unknown as Record<string, Record<string, Operation>>).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, Operation] => [
      `reference/api/operations/${operation.operationId.toLowerCase()}`,
      { ...operation, method: method.toUpperCase(), path },
    ]),
  ),
)

/** The name of each group of operations by the place of its page. */
export const tags = openapi.tags.map(({ name }): [string, string] => [
  `reference/api/operations/tags/${name.toLowerCase().replaceAll(' ', '-')}`,
  name,
])

/** Follows a reference within the document. */
export function resolved<T extends { $ref?: string }>(value: T): T {
  if (value.$ref === undefined) return value
  const parts = value.$ref.slice(2).split('/')
  return parts.reduce<unknown>((node, part) => (node as Record<string, unknown>)[part], openapi) as T
}

/** The example of a success, as JSON. */
export function exampleOf({ responses }: Operation): string | null {
  const media = responses['200']?.content?.['application/json']
  const example = media?.example ?? Object.values(media?.examples ?? {})[0]?.value
  return example === undefined ? null : JSON.stringify(example, null, 2)
}
