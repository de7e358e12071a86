// The occupations that the provider knows. In its form one of their codes is `most_recent_occupation`.

import { isJsonObject } from '../../../platform/values/json.ts'
import { text } from '../../http/fields.ts'
import type { Occupation } from '../../port.ts'

/** An entry without a code or a name helps nobody, and is left out. */
export function readOccupations(body: unknown): Occupation[] {
  const entries = Array.isArray(body) ? body : []
  return entries.flatMap((entry) => {
    const [code, name] = isJsonObject(entry) ? [text(entry, 'code'), text(entry, 'display_name')] : [null, null]
    return code === null || name === null ? [] : [{ code, name }]
  })
}
