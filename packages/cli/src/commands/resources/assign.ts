// `--set a.b=value`: a field of an object that the command line gives.

import { isJsonObject, type JsonObject } from '../../../../server/src/platform/values/json.ts'
import { UsageError } from '../../command.ts'

/** Sets `a.b=value`. The value is text, like nearly all API fields, or JSON after `:=`. @throws UsageError */
export function assign(body: JsonObject, assignment: string): void {
  const [, path = '', isJson, value = ''] = /^([\w.]+)(:)?=(.*)$/s.exec(assignment) ?? []
  const names = path.split('.')
  const last = names.pop()
  if (!last || names.some((name) => name === '__proto__') || last === '__proto__')
    throw new UsageError('--set takes field=value, such as source.currency=usd, or field:=JSON')
  let place = body
  for (const name of names) {
    const inner = Object.hasOwn(place, name) ? place[name] : undefined
    const next: JsonObject = isJsonObject(inner) ? inner : {}
    place[name] = next
    place = next
  }
  place[last] = isJson ? jsonOf(value) : value
}

function jsonOf(text: string): JsonObject[string] {
  try {
    return JSON.parse(text)
  } catch {
    throw new UsageError(`--set: not valid JSON: ${text}`)
  }
}
