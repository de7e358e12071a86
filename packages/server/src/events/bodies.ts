// What events say, and what receivers answer to them, as it lies in the database. Events about people carry their names and
// addresses, and are forwarded byte for byte; a receiver may repeat them in its answer. At rest both are sealed, so that a copy
// of the database or its log tells nobody who somebody is.

import type { Deps } from '../app/context.ts'

/** A sealed body begins with its format's number, a JSON object never does. */
const sealedFormat = 1

const categoriesOfPeople: ReadonlySet<string> = new Set(['customer', 'kyc_link'])

export function storedBody(deps: Pick<Deps, 'secrets'>, event: { id: string; category: string; body: Buffer }): Buffer {
  return categoriesOfPeople.has(event.category) ? deps.secrets.sealBytes(event.body, event.id) : event.body
}

/** The bytes as they came. @throws Error when no deployment secret opens them */
export function plainBody(deps: Pick<Deps, 'secrets'>, event: { id: string; body: Buffer }): Buffer {
  return isSealedBody(event.body) ? deps.secrets.openBytes(event.body, event.id) : event.body
}

export function isSealedBody(body: Buffer): boolean {
  return body[0] === sealedFormat
}

/** One of the two at most: the text, or the text sealed under the id of its delivery. */
export type StoredResponse = { responseBody: string | null; responseSealed: Buffer | null }

export const noResponse: StoredResponse = { responseBody: null, responseSealed: null }

/** The answer of a receiver to an event about a person. */
export function sealedResponse(deps: Pick<Deps, 'secrets'>, deliveryId: string, text: string): StoredResponse {
  return { responseBody: null, responseSealed: deps.secrets.sealBytes(Buffer.from(text), deliveryId) }
}

/** @throws Error when no deployment secret opens it */
export function plainResponse(deps: Pick<Deps, 'secrets'>, deliveryId: string, stored: StoredResponse): string | null {
  const { responseBody, responseSealed } = stored
  return responseSealed === null ? responseBody : deps.secrets.openBytes(responseSealed, deliveryId).toString('utf8')
}
