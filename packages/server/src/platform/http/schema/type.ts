// The words our schemas are made of. TypeBox says what they mean in TypeScript; at run time they only write JSON Schema down,
// without TypeBox's engine, which is 709 modules (ADR 30).

import type * as TypeBox from 'typebox'

type Word = 'Array' | 'Boolean' | 'Integer' | 'Object' | 'Optional' | 'String' | 'Unsafe'

const optional = '~optional' // TypeBox's own mark, and as hidden: a schema of either fits into one of the other

function optionalOf(schema: object) {
  return Object.defineProperty({ ...schema }, optional, { value: true })
}

function objectOf(properties: Readonly<Record<string, object>>, options?: object) {
  const required = Object.entries(properties).flatMap(([name, schema]) => (optional in schema ? [] : [name]))
  return { type: 'object', ...(required.length > 0 && { required }), properties, ...options }
}

export const Type = {
  Array: (items: object, options?: object) => ({ type: 'array', items, ...options }),
  Boolean: (options?: object) => ({ type: 'boolean', ...options }),
  Integer: (options?: object) => ({ type: 'integer', ...options }),
  Object: objectOf,
  Optional: optionalOf,
  String: (options?: object) => ({ type: 'string', ...options }),
  /** JSON Schema as it is, with the TypeScript type that it is said to have. */
  Unsafe: (schema: object) => ({ ...schema }),
} as unknown as Pick<typeof TypeBox, Word>
