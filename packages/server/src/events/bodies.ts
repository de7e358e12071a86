// Bodies of events, and the answers of receivers to them, as they lie in the database. Events about people carry names and
// addresses, and are forwarded byte for byte; a receiver may repeat them in its answer. At rest both are sealed: a copy of the
// database or of its log names nobody.

import type { Deps } from '../app/context.ts'

/** A sealed body begins with its format's number, a JSON object never does. */
const sealedFormat = 1

const categoriesOfPeople: ReadonlySet<string> = new Set(['customer', 'kyc_link'])

/** Seals the body of an event about a person, and leaves any other as it is. */
export function storedBody(deps: Pick<Deps, 'secrets'>, event: { id: string; category: string; body: Buffer }): Buffer {
  return categoriesOfPeople.has(event.category) ? deps.secrets.sealBytes(event.body, event.id) : event.body
}

/** Opens a stored body. @returns the bytes as they came @throws Error when no deployment secret opens them */
export function plainBody(deps: Pick<Deps, 'secrets'>, event: { id: string; body: Buffer }): Buffer {
  return isSealedBody(event.body) ? deps.secrets.openBytes(event.body, event.id) : event.body
}

export function isSealedBody(body: Buffer): boolean {
  return body[0] === sealedFormat
}

/** At most one of the two: the text, or the text sealed under the id of its delivery. */
export type StoredResponse = { responseBody: string | null; responseSealed: Buffer | null }

export const noResponse: StoredResponse = { responseBody: null, responseSealed: null }

/** Seals the answer of a receiver to an event about a person. */
export function sealedResponse(deps: Pick<Deps, 'secrets'>, deliveryId: string, text: string): StoredResponse {
  return { responseBody: null, responseSealed: deps.secrets.sealBytes(Buffer.from(text), deliveryId) }
}

/** Opens a stored answer. @throws Error when no deployment secret opens it */
export function plainResponse(deps: Pick<Deps, 'secrets'>, deliveryId: string, stored: StoredResponse): string | null {
  const { responseBody, responseSealed } = stored
  return responseSealed === null ? responseBody : deps.secrets.openBytes(responseSealed, deliveryId).toString('utf8')
}
