// What events say, as it lies in the database. Events about people carry their names and addresses, and are forwarded byte
// for byte: at rest they are sealed, so that a copy of the database or its log tells nobody who somebody is.

import type { Deps } from './deps.ts'

/** A sealed body begins with its format's number, a JSON object never does. */
const sealedFormat = 1

const categoriesOfPeople: ReadonlySet<string> = new Set(['customer', 'kyc_link'])

export function storedBody(deps: Pick<Deps, 'secrets'>, event: { id: string; category: string; body: Buffer }): Buffer {
  return categoriesOfPeople.has(event.category) ? deps.secrets.sealBytes(event.body, event.id) : event.body
}

/** The bytes as they came. @throws Error when no deployment secret opens them */
export function plainBody(deps: Pick<Deps, 'secrets'>, event: { id: string; body: Buffer }): Buffer {
  return event.body[0] === sealedFormat ? deps.secrets.openBytes(event.body, event.id) : event.body
}
