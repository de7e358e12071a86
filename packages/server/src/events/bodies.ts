// Encrypts stored bodies of events, and receivers' responses to them. Events about people contain names and addresses,
// and are forwarded byte for byte; a receiver may repeat them in its response. A copy of the database or of its log
// therefore reveals no person.

import type { Core } from '../platform/core.ts'

/** An encrypted body starts with the number of its format, a JSON object never does. */
const sealedFormat = 1

/** Encrypts the body of an event about a person, and returns any other unchanged. */
export function storedBody(
  deps: Pick<Core, 'secrets'>,
  event: { id: string; isAboutPeople: boolean; body: Buffer },
): Buffer {
  return event.isAboutPeople ? deps.secrets.sealBytes(event.body, event.id) : event.body
}

/** Decrypts a stored body. @returns the original bytes @throws Error if no deployment secret decrypts them */
export function plainBody(deps: Pick<Core, 'secrets'>, event: { id: string; body: Buffer }): Buffer {
  return isSealedBody(event.body) ? deps.secrets.openBytes(event.body, event.id) : event.body
}

export function isSealedBody(body: Buffer): boolean {
  return body[0] === sealedFormat
}

/** A response as text: headers as JSON, which contains no line break, and the body. */
export type PlainResponse = { responseHeaders: string | null; responseBody: string | null }

/** Either the texts, or both encrypted under the ID of their delivery, or nothing. */
export type StoredResponse = PlainResponse & { responseSealed: Buffer | null }

export const noResponse: StoredResponse = { responseHeaders: null, responseBody: null, responseSealed: null }

/** Encrypts a receiver's response to an event about a person. */
export function sealedResponse(
  deps: Pick<Core, 'secrets'>,
  deliveryId: string,
  { responseHeaders, responseBody }: PlainResponse,
): StoredResponse {
  const text = `${responseHeaders ?? '{}'}\n${responseBody ?? ''}`
  return { ...noResponse, responseSealed: deps.secrets.sealBytes(Buffer.from(text), deliveryId) }
}

/** Decrypts a stored response. @throws Error if no deployment secret decrypts it */
export function plainResponse(
  deps: Pick<Core, 'secrets'>,
  deliveryId: string,
  { responseSealed, responseHeaders, responseBody }: StoredResponse,
): PlainResponse {
  if (responseSealed === null) return { responseHeaders, responseBody }
  const text = deps.secrets.openBytes(responseSealed, deliveryId).toString('utf8')
  const end = text.indexOf('\n')
  return { responseHeaders: text.slice(0, end), responseBody: text.slice(end + 1) }
}
