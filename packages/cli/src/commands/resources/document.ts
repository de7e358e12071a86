// What the OpenAPI document says about an operation, as far as a command line shows it.

import { readFileSync } from 'node:fs'

export type Parameter = { name: string; description: string }
export type Described = { summary: string; query: readonly Parameter[]; hasBody: boolean }

type RawParameter = { in?: string; name?: string; description?: string; schema?: { enum?: unknown[] } }
type RawOperation = { summary?: string; parameters?: RawParameter[]; requestBody?: unknown }
type Document = { paths: Record<string, Record<string, RawOperation>> }

const path = new URL('../../../../server/openapi.json', import.meta.url)
let document: Document | null = null

export function describeOperation(method: string, route: string): Described {
  document ??= JSON.parse(readFileSync(path, 'utf8')) as Document
  const { summary = '', parameters = [], requestBody } = document.paths[route]?.[method.toLowerCase()] ?? {}
  const query = parameters.flatMap(({ in: place, name, description = '' }) =>
    place === 'query' && name ? [{ name, description: description.replaceAll('`', '') }] : [],
  )
  return { summary: summary.charAt(0).toLowerCase() + summary.slice(1), query, hasBody: requestBody !== undefined }
}
