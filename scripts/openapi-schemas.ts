// Schemas on their way into the OpenAPI document: our own words leave, named objects and enumerations become components.

export type JsonRecord = { [key: string]: unknown }

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const ourWords = new Set(['errorText', 'errorCode', 'wellFormed', 'known', 'reads'])

/** Leaves out the words of platform/http/schema/schema.ts that mean nothing to other readers of JSON Schema. */
export function withoutOurWords(node: unknown): unknown {
  return mapped(node, (record) =>
    branched(Object.fromEntries(Object.entries(record).filter(([key]) => !ourWords.has(key)))),
  )
}

const textWords = new Set(['minLength', 'maxLength', 'pattern', 'format'])

/** Writes a type that is an integer or a string as `anyOf`: generators for Go support lists of types only with `null`. */
function branched(schema: JsonRecord): JsonRecord {
  const { type, description, ...rules } = schema
  if (!Array.isArray(type) || type.includes('null')) return schema
  const rulesFor = (one: unknown) =>
    Object.entries(rules).filter(([word]) => textWords.has(word) === (one === 'string'))
  return { description, anyOf: type.map((one) => ({ type: one, ...Object.fromEntries(rulesFor(one)) })) }
}

/**
 * Names the envelope of each object and of each list of them, in place: operations that return the same object return one type.
 * The names end in `Result`, because generators such as oapi-codegen name the response of an operation `…Response`.
 * Throws when two of them differ.
 * @param success response of an operation, behind `hoistTitled`
 */
export function nameEnvelope(success: JsonRecord, schemas: JsonRecord): void {
  const content = isRecord(success['content']) ? success['content']['application/json'] : undefined
  const schema = isRecord(content) ? content['schema'] : undefined
  const data = isRecord(schema) && isRecord(schema['properties']) ? schema['properties']['data'] : undefined
  if (!isRecord(content) || !isRecord(schema) || !isRecord(data)) return
  const items = isRecord(data['items']) ? data['items'] : undefined
  const { $ref } = items ?? data
  if (typeof $ref !== 'string') return
  const name = `${$ref.slice($ref.lastIndexOf('/') + 1)}${items ? 'List' : ''}Result`
  addSchema(schemas, name, schema)
  content['schema'] = { $ref: `#/components/schemas/${name}` }
}

/**
 * Moves each object and each enumeration with a title into `schemas`, innermost first, and puts a reference in its place.
 * For nullable types and enumerations, the description stays next to the reference, because it is about that use only.
 * Throws when two different schemas have the same title.
 */
export function hoistTitled(node: unknown, schemas: JsonRecord): unknown {
  return mapped(node, (record) => {
    const { title } = record
    const types = [record['type']].flat()
    if (typeof title !== 'string' || !(types.includes('object') || Array.isArray(record['enum']))) return record
    if (!/^[A-Z][A-Za-z0-9]*$/.test(title)) throw new Error(`"${title}" is no name for a component`)
    const isNullable = types.includes('null')
    const { description, ...bare } = withoutNull(record)
    const isOfUse = description !== undefined && (isNullable || 'enum' in bare)
    addSchema(schemas, title, isOfUse || description === undefined ? bare : { ...bare, description })
    const reference = { $ref: `#/components/schemas/${title}` }
    return {
      ...(isNullable ? { anyOf: [reference, { type: 'null' }] } : reference),
      ...(isOfUse && { description }),
    }
  })
}

function withoutNull(schema: JsonRecord): JsonRecord {
  const { type, enum: words } = schema
  return {
    ...schema,
    type: Array.isArray(type) ? type.find((one) => one !== 'null') : type,
    ...(Array.isArray(words) && { enum: words.filter((word) => word !== null) }),
  }
}

function addSchema(schemas: JsonRecord, title: string, schema: JsonRecord): void {
  const known = schemas[title]
  if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema))
    throw new Error(`two different schemas have the title ${title}`)
  schemas[title] = schema
}

/** Innermost first. */
function mapped(node: unknown, change: (record: JsonRecord) => JsonRecord): unknown {
  if (Array.isArray(node)) return node.map((item) => mapped(item, change))
  if (!isRecord(node)) return node
  return change(Object.fromEntries(Object.entries(node).map(([key, value]) => [key, mapped(value, change)])))
}
