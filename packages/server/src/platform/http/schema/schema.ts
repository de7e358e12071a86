// Building blocks of request and response schemas. One object is validator, TypeScript type and OpenAPI.

import { type Static, type TArray, type TObject, type TProperties, type TSchema, type TUnsafe, Type } from 'typebox'
import type { ErrorCode } from '../../errors.ts'
import { type IdKind, idPrefixes } from '../../values/ids.ts'
import { pageLimitDefault, pageLimitMax } from '../limits.ts'

/** Words of our schemas, some of them beside JSON Schema's. */
export type SchemaWords = {
  /** The rule in words; follows the field's name: `must be …`. */
  errorText?: string
  /** The catalogue entry that a bad value of this field is answered with. */
  errorCode?: ErrorCode
  /** Refuses half of a surrogate pair, for which the patterns of other languages have no spelling. */
  wellFormed?: true
  /** OpenAPI: objects and enumerations with a title become named components. */
  title?: string
  description?: string
  examples?: unknown[]
}

/** The envelope of every success. */
export function dataOf<T extends TSchema>(data: T): TObject<{ data: T }> {
  return Type.Object({ data })
}

/** The `data` of a list. */
export function listOf<T extends TSchema>(item: T): TArray<T> {
  return Type.Array(item, { maxItems: pageLimitMax })
}

/** Makes an object that refuses other members as `unknown_field`. All request bodies and queries are such. */
export function closed<T extends TProperties>(
  properties: T,
  words: SchemaWords & { minProperties?: number; maxProperties?: number } = {},
) {
  return Type.Object(properties, { ...words, additionalProperties: false })
}

/** Makes an object that the API document names. @param words its title, or its title and description */
export function named<T extends TProperties>(words: string | { title: string; description: string }, properties: T) {
  return Type.Object(properties, typeof words === 'string' ? { title: words } : words)
}

/** Makes the query of a list. @param filters all of them optional @param required what it cannot be read without */
export function listQuery<T extends TProperties, R extends TProperties = Record<never, never>>(
  filters: T,
  required?: R,
) {
  return closed({ ...pageQuery, ...(required as R), ...Type.Partial(Type.Object(filters)).properties })
}

const pageQuery = {
  limit: Type.Integer({
    minimum: 1,
    maximum: pageLimitMax,
    default: pageLimitDefault,
    description:
      'Most items in a page. A page of a filter that few objects fit may have fewer, even none, and be followed by another: the list ends where there is no `Link` header.',
  }),
  cursor: Type.Optional(
    Type.String({ minLength: 1, maxLength: 3_072, description: 'Where the page starts, from the `Link` header.' }),
  ),
}

/** Makes a schema of one of these words. @param title names the enumeration in the API document */
export function oneOf<const T extends readonly string[]>(
  title: string,
  values: T,
  words: SchemaWords = {},
): TUnsafe<T[number]> {
  return Type.Unsafe<T[number]>({ type: 'string', enum: [...values], title, ...words })
}

/** Makes a schema of the same value or null, for members that are always present. */
export function nullable<T extends TSchema>(schema: T): TUnsafe<Static<T> | null> {
  const plain = schema as T & { type?: string; enum?: unknown[] }
  if (typeof plain.type !== 'string') return Type.Unsafe({ anyOf: [plain, { type: 'null' }] })
  return Type.Unsafe({ ...plain, type: [plain.type, 'null'], ...(plain.enum && { enum: [...plain.enum, null] }) })
}

/** Makes the schema of an id of ours, by its prefix. */
export function idOf(kind: IdKind, words: SchemaWords = {}) {
  const prefix = idPrefixes[kind]
  return Type.String({
    // A delivery's id is its event's with the end of its endpoint's.
    pattern: `^${prefix}_[0-9a-z]{${kind === 'delivery' ? 32 : 26}}$`,
    errorText: `must be an id that starts with ${prefix}_`,
    ...words,
  })
}

// JSON can spell half of a surrogate pair; PostgreSQL can hold neither that nor NUL. The patterns are what JavaScript, RE2,
// Rust and Python read alike: no surrogates, no `\u`, nothing that looks ahead or behind.
const storable = { pattern: '^[^\\x00]*$', wellFormed: true } as const

const noControlCharacters = '^[^\\x00-\\x1f\\x7f-\\x9f]*$'

/** Makes the schema of text on one line, as people name things. */
export function lineOf(charsMax: number, words: SchemaWords = {}) {
  return Type.String({
    minLength: 1,
    maxLength: charsMax,
    pattern: noControlCharacters,
    wellFormed: true,
    errorText: `must have 1 to ${charsMax} characters, none of them a control character`,
    ...words,
  })
}

/** Which types of events: a name, all below a `prefix.*`, or all. Names are the provider's as well as ours: any text. */
export const eventTypeFilter = Type.String({
  minLength: 1,
  maxLength: 256,
  pattern: '^(\\*|[^*\\x00-\\x1f\\x7f-\\x9f]+(?:\\.\\*)?)$',
  wellFormed: true,
  errorText: 'must be the name of an event type, a prefix followed by `.*`, or `*`',
  examples: ['virtual_account.*'],
})

/** The `data` of a deletion. */
export const deleted = named('Deleted', { deleted: Type.Boolean() })

/** An identifier that a caller names: whatever is not one of ours reads as absent. */
export const anyId = lineOf(64)

export const externalUserId = lineOf(128, {
  description: "The caller's own identifier of its user. A `/` in a path is percent-encoded.",
  examples: ['user-4711'],
})

/** ISO 8601; we write UTC with milliseconds and read any offset. */
export const isoTime = Type.String({
  format: 'date-time',
  errorText: 'must be an ISO 8601 time with a time zone, such as 2026-01-31T12:00:00Z',
  examples: ['2026-01-31T12:00:00.000Z'],
})

/** The caller's own labels. */
export const metadata = Type.Unsafe<Record<string, string>>({
  type: 'object',
  maxProperties: 50,
  propertyNames: { maxLength: 40, ...storable },
  additionalProperties: {
    type: 'string',
    maxLength: 500,
    ...storable,
    errorText: 'must be text of at most 500 characters, without NUL',
  },
  description: "The caller's own labels: up to 50, keys to 40 and values to 500 characters.",
})

/** Filters a list by a label. One, because each further one would have to be looked for among all that have the first. */
export const metadataFilter = Type.Unsafe<Record<string, string>>({
  ...metadata,
  minProperties: 1,
  maxProperties: 1,
  description: 'One label, key and value exactly: `metadata[plan]=gold`.',
})
