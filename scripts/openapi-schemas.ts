// Schemas on their way into the OpenAPI document: our own words leave, named objects become components.

export type JsonRecord = { [key: string]: unknown }

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const ourWords = new Set(['errorText', 'errorCode', 'known', 'reads'])

/** The words of platform/http/schema/schema.ts that mean nothing to other readers of JSON Schema. */
export function withoutOurWords(node: unknown): unknown {
  return mapped(node, (record) => Object.fromEntries(Object.entries(record).filter(([key]) => !ourWords.has(key))))
}

/**
 * Moves each object schema with a title into `schemas`, innermost first, and puts a reference in its place.
 * Throws when two different schemas have the same title.
 */
export function hoistTitled(node: unknown, schemas: JsonRecord): unknown {
  return mapped(node, (record) => {
    const { title } = record
    if (typeof title !== 'string' || record['type'] !== 'object') return record
    if (!/^[A-Z][A-Za-z0-9]*$/.test(title)) throw new Error(`"${title}" is no name for a component`)
    const known = schemas[title]
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(record))
      throw new Error(`two different schemas have the title ${title}`)
    schemas[title] = record
    return { $ref: `#/components/schemas/${title}` }
  })
}

/** Innermost first. */
function mapped(node: unknown, change: (record: JsonRecord) => JsonRecord): unknown {
  if (Array.isArray(node)) return node.map((item) => mapped(item, change))
  if (!isRecord(node)) return node
  return change(Object.fromEntries(Object.entries(node).map(([key, value]) => [key, mapped(value, change)])))
}
