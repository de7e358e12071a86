// JSON as a type, and the one canonical text of a JSON value.

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
export type JsonObject = { [key: string]: Json }

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Same value, same text: object keys sorted at every level. Used for fingerprints, never for sending. */
export function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (isJsonObject(value)) {
    const members = Object.keys(value)
      .sort()
      .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] ?? null)}`)
    return `{${members.join(',')}}`
  }
  return JSON.stringify(value)
}

/**
 * Returns whether objects and arrays are nested deeper than `levels`. Without recursion, so that depth costs no stack.
 */
export function isNestedDeeper(root: Json, levels: number): boolean {
  let level = [root].filter(isNested)
  for (let depth = 0; level.length > 0; depth++) {
    if (depth === levels) return true
    level = level.flatMap((value) => Object.values(value).filter(isNested))
  }
  return false
}

function isNested(value: Json): value is Json[] | JsonObject {
  return typeof value === 'object' && value !== null
}

// A double holds 15 significant digits of any decimal.
const exactDigitsMax = 15
const longNumber = /[:,[]\s*-?(?:[0-9][0-9.]{15,}|[0-9.]+[eE])/

type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown
const parseJson = JSON.parse as (text: string, reviver: Reviver) => unknown

/** Parses JSON. A number that a double may not hold exactly becomes null instead of being rounded silently. */
export function parseWithoutRounding(text: string): unknown {
  if (!longNumber.test(text)) return JSON.parse(text)
  return parseJson(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && !isExact(value, source) ? null : value,
  )
}

function isExact(value: number, source: string): boolean {
  const digits = source
    .replace(/[eE].*$/, '')
    .replace(/[-.]/g, '')
    .replace(/^0+/, '')
  const isTooSmall = value === 0 && digits !== ''
  return digits.length <= exactDigitsMax && Number.isFinite(value) && !isTooSmall
}
