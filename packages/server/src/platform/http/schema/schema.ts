// Building blocks of request and response schemas. One object is validator, TypeScript type and OpenAPI.

import { type Static, type TArray, type TObject, type TProperties, type TSchema, type TUnsafe, Type } from 'typebox'
import type { ErrorCode } from '../../errors.ts'
import { type IdKind, idPrefixes } from '../../values/ids.ts'
import { pageLimitDefault, pageLimitMax } from '../limits.ts'

/** Keywords of our schemas, some of them in addition to JSON Schema. */
export type SchemaWords = {
  /** The rule in words; follows the field's name: `must be …`. */
  errorText?: string
  /** The error code for an invalid value of this field. */
  errorCode?: ErrorCode
  /** Rejects lone surrogates, which patterns of other languages cannot express. */
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

/** Creates an object that rejects other members as `unknown_field`. All request bodies and queries use it. */
export function closed<T extends TProperties>(
  properties: T,
  words: SchemaWords & { minProperties?: number; maxProperties?: number } = {},
) {
  return Type.Object(properties, { ...words, additionalProperties: false })
}

/** Creates an object with a name in the API document. @param words its title, or its title and description */
export function named<T extends TProperties>(words: string | { title: string; description: string }, properties: T) {
  return Type.Object(properties, typeof words === 'string' ? { title: words } : words)
}

/** Creates the query of a list. @param filters all of them optional @param required members that the list requires */
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
      'The most items on a page. If few objects match a filter, a page can have fewer items, or none, and still have a next page: the list ends where there is no `Link` header.',
  }),
  cursor: Type.Optional(
    Type.String({ minLength: 1, maxLength: 3_072, description: 'The cursor of the page, from the `Link` header.' }),
  ),
}

/** Creates a schema of one of these words. @param title names the enumeration in the API document */
export function oneOf<const T extends readonly string[]>(
  title: string,
  values: T,
  words: SchemaWords = {},
): TUnsafe<T[number]> {
  return Type.Unsafe<T[number]>({ type: 'string', enum: [...values], title, ...words })
}

/** Creates a schema of the same value or null, for members that are always present. */
export function nullable<T extends TSchema>(schema: T): TUnsafe<Static<T> | null> {
  const plain = schema as T & { type?: string; enum?: unknown[] }
  if (typeof plain.type !== 'string') return Type.Unsafe({ anyOf: [plain, { type: 'null' }] })
  return Type.Unsafe({ ...plain, type: [plain.type, 'null'], ...(plain.enum && { enum: [...plain.enum, null] }) })
}

/** Creates the schema of a Causeway ID with its prefix. */
export function idOf(kind: IdKind, words: SchemaWords = {}) {
  const prefix = idPrefixes[kind]
  return Type.String({
    // A delivery's ID is its event's ID with the end of its endpoint's ID.
    pattern: `^${prefix}_[0-9a-z]{${kind === 'delivery' ? 32 : 26}}$`,
    errorText: `must be an ID that starts with ${prefix}_`,
    ...words,
  })
}

// JSON can contain lone surrogates and NUL; PostgreSQL can store neither. JavaScript, RE2, Rust and Python read the
// patterns alike: no surrogates, no `\u`, no lookaround.
const storable = { pattern: '^[^\\x00]*$', wellFormed: true } as const

const noControlCharacters = '^[^\\x00-\\x1f\\x7f-\\x9f]*$'

/** Creates the schema of a one-line text, such as a name. */
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

/**
 * A filter of event types: a name, all below a `prefix.*`, or all. Names may come from the provider, so any text is
 * allowed.
 */
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

/** An identifier in a request. Any text that is not a Causeway ID returns 404. */
export const anyId = lineOf(64)

export const externalUserId = lineOf(128, {
  description: 'Your own identifier of the end-user. Percent-encode a `/` in a path.',
  examples: ['user-4711'],
})

/** ISO 8601. Responses use UTC with milliseconds; requests may have any offset. */
export const isoTime = Type.String({
  format: 'date-time',
  errorText: 'must be an ISO 8601 time with a time zone, such as 2026-01-31T12:00:00Z',
  examples: ['2026-01-31T12:00:00.000Z'],
})

/** Metadata of the caller. */
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
  description: 'Your own key-value pairs: at most 50, keys of at most 40 and values of at most 500 characters.',
})

/** Filters a list by one metadata entry. A second entry would require a scan of all objects that match the first. */
export const metadataFilter = Type.Unsafe<Record<string, string>>({
  ...metadata,
  minProperties: 1,
  maxProperties: 1,
  description: 'One metadata entry, matched exactly by key and value: `metadata[plan]=gold`.',
})
