// The parts of a request, as they should be: what an operation takes, filled with what a story knows.

import type { Operation } from '../../../../server/test/caller.ts'
import { absentNames, nounOf } from '../../../../server/test/http/operation-matrix.ts'
import { type BodyPlace, ownName, validBody } from './bodies.ts'
import { queryOf } from './described.ts'
import type { Business } from './known-objects.ts'
import { multipartOf } from './multipart.ts'
import { jsonText, validValue } from './values.ts'

export type RequestPlace = BodyPlace & { foreign: Business; adminSecret: string }

export type Parts = {
  path: string
  query: string
  headers: [string, string][]
  credential: string | null
  body: Buffer | null
  contentType: string | null
  method: string
  chunked: boolean
  expects: readonly number[] | null
}

/** As it should be asked: with what the story knows. */
export function validParts(operation: Operation, place: RequestPlace): Parts {
  const { draw } = place.making
  const { path, exists } = pathOf(operation, place)
  const body = validBody(operation, place)
  const asFiles = operation.id === 'submitKyc' && draw.oneIn(3)
  const files = asFiles ? multipartOf(draw, body, false) : null
  const headers: [string, string][] = []
  if (operation.takesIdempotencyKey && draw.oneIn(3)) headers.push(['idempotency-key', `k-${draw.below(1e9)}`])
  const text = body === undefined ? null : Buffer.from(jsonText(body))
  return {
    method: operation.method,
    path,
    query: validQuery(operation, place),
    headers,
    credential:
      operation.auth === 'none' ? null : operation.auth === 'operator' ? place.adminSecret : place.business.key,
    body: files?.body ?? text,
    contentType:
      files?.contentType ??
      (text === null ? null : draw.pick(['application/json', 'application/json', 'application/json; charset=utf-8'])),
    chunked: draw.oneIn(6),
    expects: exists ? null : operation.id === 'listReplays' ? null : [404, 400, 409, 413, 415, 422],
  }
}

function pathOf(operation: Operation, place: RequestPlace): { path: string; exists: boolean } {
  if (!operation.path.includes('{')) return { path: operation.path, exists: true }
  const noun = nounOf(operation)
  const { draw } = place.making
  const name = noun === 'customer' ? place.business.customer : draw.oneIn(20) ? absentNames[noun] : ownName(place, noun)
  return { path: pathNaming(operation, name), exists: name !== absentNames[noun] }
}

/** @param name as it is, not yet percent-encoded */
export const pathNaming = (operation: Operation, name: string): string =>
  operation.path.replace(/\{\w+\}/, () => encodeURIComponent(name.toWellFormed()))

function validQuery(operation: Operation, place: RequestPlace): string {
  const { draw } = place.making
  const pairs: string[] = []
  for (const [name, { schema, required, example }] of queryOf(operation)) {
    if (!required && !draw.oneIn(4)) continue
    // Made-up cursors are refused, waits are long.
    if (name === 'cursor' || name === 'after') continue
    const known =
      name === 'externalUserId'
        ? ownName(place, 'externalUserId')
        : name === 'wait'
          ? 0
          : name === 'redirectUri'
            ? 'https://example.com/back'
            : undefined
    const value = known ?? (example !== undefined && draw.oneIn(2) ? example : validValue(schema, place.making))
    const members: [string, unknown][] =
      typeof value === 'object' && value !== null
        ? Object.entries(value).map(([key, member]) => [`${name}[${key}]`, member])
        : [[name, value]]
    for (const member of members)
      pairs.push(member.map((text) => encodeURIComponent(String(text).toWellFormed())).join('='))
  }
  return pairs.length > 0 ? `?${pairs.join('&')}` : ''
}
