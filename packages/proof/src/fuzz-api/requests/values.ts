// JSON values by the schemas of openapi.json: such as they allow, such with one rule broken, and such with hostile texts.

import fc from 'fast-check'
import { resolved, type Schema } from './described.ts'
import type { Draw } from './draw.ts'
import { hostileNames, hostileText } from './hostile-texts.ts'

/** `mark`: goes into texts that are free. */
export type Making = { draw: Draw; mark: () => string }

/** Stands for a token that JSON.stringify does not write; see `jsonText`. */
const token = (text: string): string => `\u0001token ${text}\u0001`
export const jsonText = (value: unknown): string =>
  JSON.stringify(value).replace(/"\\u0001token ([^\\"]*)\\u0001"/g, '$1')

const depthMax = 6

/** A value that the schema allows. */
export function validValue(given: Schema, making: Making, depth = 0): unknown {
  const { draw } = making
  const schema = resolved(given)
  const branches = schema.anyOf ?? schema.oneOf
  if (branches) return validValue(draw.pick(branches), making, depth)
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return draw.pick(schema.enum)
  if (schema.examples && !draw.oneIn(3)) return draw.pick(schema.examples)
  switch (typeOf(schema, draw)) {
    case 'object':
      return validObject(schema, making, depth)
    case 'array':
      return validArray(schema, making, depth)
    case 'integer':
      return draw.of(fc.integer({ min: schema.minimum ?? -1_000, max: schema.maximum ?? 1_000 }))
    case 'number':
      return draw.of(fc.double({ min: schema.minimum ?? -1e6, max: schema.maximum ?? 1e6, noNaN: true }))
    case 'boolean':
      return draw.oneIn(2)
    case 'null':
      return null
    case 'string':
      return validText(schema, making)
  }
  return draw.pick<unknown>([null, true, 0, 'text', [], {}])
}

function typeOf(schema: Schema, draw: Draw): string | undefined {
  if (typeof schema.type === 'string') return schema.type
  if (schema.type) return draw.pick(schema.type)
  return schema.properties ? 'object' : undefined
}

function validObject(schema: Schema, making: Making, depth: number): Record<string, unknown> {
  const { draw } = making
  const made: Record<string, unknown> = {}
  const few = draw.oneIn(3)
  for (const [name, member] of Object.entries(schema.properties ?? {})) {
    const required = schema.required?.includes(name) ?? false
    if (required || (!few && depth < depthMax && draw.oneIn(2))) made[name] = validValue(member, making, depth + 1)
  }
  const names = Object.keys(schema.properties ?? {})
  if (Object.keys(made).length < (schema.minProperties ?? 0) && names.length > 0) {
    const name = draw.pick(names)
    made[name] = validValue(schema.properties?.[name] ?? {}, making, depth + 1)
  }
  if (typeof schema.additionalProperties === 'object') {
    for (let more = draw.below(4); more > 0; more--)
      made[`${draw.pick(['plan', 'tier', 'üñï', 'a.b'])}${more}`] = validValue(
        schema.additionalProperties,
        making,
        depth + 1,
      )
  }
  return made
}

function validArray(schema: Schema, making: Making, depth: number): unknown[] {
  const { minItems = 0, maxItems = 3, items = {} } = schema
  const length = Math.min(maxItems, minItems + making.draw.below(3))
  const made = Array.from({ length }, () => validValue(items, making, depth + 1))
  return [...new Map(made.map((item) => [JSON.stringify(item), item])).values()]
}

const patterned = new Map<string, fc.Arbitrary<string> | null>()

function validText(schema: Schema, { draw, mark }: Making): string {
  const { minLength = 0, maxLength = 300 } = schema
  if (schema.format === 'date-time') return draw.pick(times)()
  const free = schema.pattern === undefined || /^\^\[\^[^\]]*\]\*\$$/.test(schema.pattern)
  if (!free) {
    const arbitrary = patternArbitrary(schema.pattern ?? '', Math.min(maxLength, 64))
    return arbitrary === null ? '12.50' : draw.of(arbitrary)
  }
  const text = draw.pick([
    () => mark(),
    () => `A name ${mark()}`,
    () => 'é'.repeat(Math.max(1, minLength)),
    () => '😀'.repeat(maxLength),
    () => 'x'.repeat(maxLength),
    () =>
      draw.of(fc.string({ unit: 'grapheme', minLength: Math.max(1, minLength), maxLength: Math.min(maxLength, 40) })),
  ])()
  const cut = [...text].slice(0, maxLength).join('')
  return cut.replace(/[\p{Cc}\p{Cs}]/gu, '-')
}

function patternArbitrary(pattern: string, maxLength: number): fc.Arbitrary<string> | null {
  const known = patterned.get(pattern)
  if (known !== undefined) return known
  let made: fc.Arbitrary<string> | null = null
  try {
    made = fc.stringMatching(new RegExp(pattern, 'u'), { maxLength })
  } catch {
    // Not every pattern can be drawn from, such as one that looks ahead.
  }
  patterned.set(pattern, made)
  return made
}

const times = [
  () => new Date().toISOString(),
  () => new Date(Date.now() - 3_600_000).toISOString(),
  () => new Date(Date.now() + 86_400_000).toISOString(),
  () => '2026-01-31T12:00:00Z',
  () => '2026-01-31T12:00:00.123456+05:30',
  () => '1970-01-01T00:00:00Z',
] as const

const wrongTypes: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  token('1e999'),
  token('-0'),
  token('123456789012345678901234567890'),
  '',
  '1',
  [],
  [[]],
  {},
  { a: 1 },
]

/** The value with one rule broken somewhere in it, as far as chance hits one. */
export function brokenValue(given: Schema, value: unknown, making: Making): unknown {
  const { draw } = making
  const schema = resolved(given)
  if (draw.oneIn(4)) return draw.pick(wrongTypes)
  if (isObject(value)) return brokenObject(schema, value, making)
  if (Array.isArray(value)) {
    if (value.length > 0 && draw.oneIn(2)) return [...value.slice(1), brokenValue(schema.items ?? {}, value[0], making)]
    return draw.pick([[], [...value, ...value], Array.from({ length: 60 }, () => value[0] ?? 'x')])
  }
  if (typeof value === 'number')
    return draw.pick<unknown>([
      (schema.minimum ?? 0) - 1,
      (schema.maximum ?? 2 ** 53) + 1,
      value + 0.5,
      String(value),
      2 ** 53,
      -1,
      1e308,
      token('1e999'),
    ])
  if (typeof value === 'string') {
    const { maxLength = 300 } = schema
    const mark = making.mark()
    return draw.pick<unknown>([
      '',
      `${mark}${'x'.repeat(maxLength)}`,
      `${value}\u0000${mark}`,
      `\ud800${mark}`,
      `${mark}\n`,
      hostileText(draw, mark),
      `${value} `,
      value.toUpperCase(),
      [value],
      { value },
    ])
  }
  return draw.pick(wrongTypes)
}

function brokenObject(schema: Schema, value: Record<string, unknown>, making: Making): unknown {
  const { draw } = making
  const names = Object.keys(value)
  const child = names.length > 0 ? draw.pick(names) : null
  switch (draw.below(4)) {
    case 0:
      return {
        ...value,
        [draw.pick(['unknown', 'signedAgreementId', 'Name', 'externaluserid', ...hostileNames])]: making.mark(),
      }
    case 1: {
      const { [child ?? '']: _without, ...rest } = value
      return rest
    }
    default: {
      if (child === null) return [value]
      const { additionalProperties } = schema
      const member =
        schema.properties?.[child] ?? (typeof additionalProperties === 'object' ? additionalProperties : {})
      return { ...value, [child]: brokenValue(member, value[child], making) }
    }
  }
}

/** The value with hostile texts where it has texts, and hostile names beside its own, without regard to any schema. */
export function hostileValue(value: unknown, making: Making): unknown {
  const { draw } = making
  if (typeof value === 'string') return draw.oneIn(2) ? value : hostileText(draw, making.mark())
  if (Array.isArray(value)) return value.map((item) => hostileValue(item, making))
  if (!isObject(value)) return value
  const made = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, hostileValue(member, making)]))
  if (draw.oneIn(6)) Object.defineProperty(made, draw.pick(hostileNames), { value: making.mark(), enumerable: true })
  return made
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
