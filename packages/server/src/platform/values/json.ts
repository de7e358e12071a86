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

/** Whether objects and arrays stand more than `levels` deep. Without recursion, so that depth costs no stack. */
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
