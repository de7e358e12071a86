// Bodies of events, and the answers of receivers to them, as they lie in the database. Events about people carry names and
// addresses, and are forwarded byte for byte; a receiver may repeat them in its answer. At rest both are sealed: a copy of the
// database or of its log names nobody.

import type { Core } from '../platform/core.ts'

/** A sealed body begins with its format's number, a JSON object never does. */
const sealedFormat = 1

/** Seals the body of an event about a person, and leaves any other as it is. */
export function storedBody(
  deps: Pick<Core, 'secrets'>,
  event: { id: string; isAboutPeople: boolean; body: Buffer },
): Buffer {
  return event.isAboutPeople ? deps.secrets.sealBytes(event.body, event.id) : event.body
}

/** Opens a stored body. @returns the bytes as they came @throws Error when no deployment secret opens them */
export function plainBody(deps: Pick<Core, 'secrets'>, event: { id: string; body: Buffer }): Buffer {
  return isSealedBody(event.body) ? deps.secrets.openBytes(event.body, event.id) : event.body
}

export function isSealedBody(body: Buffer): boolean {
  return body[0] === sealedFormat
}

/** An answer as text: headers as JSON, which holds no line break, and the body. */
export type PlainResponse = { responseHeaders: string | null; responseBody: string | null }

/** Either the texts, or both sealed under the id of their delivery, or nothing. */
export type StoredResponse = PlainResponse & { responseSealed: Buffer | null }

export const noResponse: StoredResponse = { responseHeaders: null, responseBody: null, responseSealed: null }

/** Seals the answer of a receiver to an event about a person. */
export function sealedResponse(
  deps: Pick<Core, 'secrets'>,
  deliveryId: string,
  { responseHeaders, responseBody }: PlainResponse,
): StoredResponse {
  const text = `${responseHeaders ?? '{}'}\n${responseBody ?? ''}`
  return { ...noResponse, responseSealed: deps.secrets.sealBytes(Buffer.from(text), deliveryId) }
}

/** Opens a stored answer. @throws Error when no deployment secret opens it */
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
