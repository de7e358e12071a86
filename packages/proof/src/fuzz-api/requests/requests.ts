// One request to one operation: valid, with one rule broken, or hostile; and what its answer may not be, as far as that is known.

import type { Operation } from '../../../../server/test/caller.ts'
import { validBody } from './bodies.ts'
import { bodilessBreaks, breaks } from './breaks.ts'
import { queryOf } from './described.ts'
import type { Draw } from './draw.ts'
import { hostileText } from './hostile-texts.ts'
import { type Parts, pathNaming, type RequestPlace, validParts } from './parts.ts'
import { hostileValue, jsonText } from './values.ts'
import { headerText, pathText, type Sent } from './wire.ts'

export type Kind = 'valid' | 'broken' | 'hostile'

/** `expects`: statuses one of which it must be; null where anything that is declared may be right. */
export type Made = { operation: Operation; kind: Kind; sent: Sent; expects: readonly number[] | null }

export function makeRequest(operation: Operation, kind: Kind, place: RequestPlace): Made {
  const { draw, mark } = place.making
  const parts = validParts(operation, place)
  if (kind === 'broken') draw.pick(operation.body === null ? bodilessBreaks : breaks)(parts, operation, place)
  if (kind === 'hostile') makeHostile(parts, operation, place)
  const headers = [...parts.headers]
  if (draw.oneIn(8)) headers.push(strangeHeader(draw, mark()))
  if (parts.credential !== null) headers.push(['authorization', `Bearer ${parts.credential}`])
  if (parts.contentType !== null) headers.push(['content-type', parts.contentType])
  const { method, path, query, body, chunked, expects } = parts
  return {
    operation,
    kind,
    sent: { method, path: path + query, headers, body, chunked: chunked && body !== null },
    expects,
  }
}

function makeHostile(parts: Parts, operation: Operation, place: RequestPlace): void {
  const { draw, mark } = place.making
  parts.expects = null
  if (operation.path.includes('{') && draw.oneIn(3)) parts.path = pathNaming(operation, hostileText(draw, mark()))
  if (draw.oneIn(4)) {
    const pairs = [...queryOf(operation).keys()].filter(() => draw.oneIn(3)).filter((name) => name !== 'wait')
    parts.query = `?${pairs.map((name) => `${name}=${encodeURIComponent(hostileText(draw, mark()).toWellFormed())}`).join('&')}`
    if (draw.oneIn(4)) parts.query = pathText(`?${hostileText(draw, 'x')}`) // an unknown name is told, so no mark
  }
  const body = validBody(operation, place)
  if (body === undefined || operation.body === null) return
  parts.contentType = 'application/json'
  parts.body = Buffer.from(jsonText(hostileValue(body, place.making)))
}

function strangeHeader(draw: Draw, mark: string): [string, string] {
  const text = headerText(hostileText(draw, mark)).slice(0, 4_000)
  return draw.pick<[string, string]>([
    ['user-agent', text],
    ['referer', text],
    ['cookie', `a=${text}`],
    ['x-forwarded-for', text],
    ['x-forwarded-host', mark],
    ['x-forwarded-proto', mark],
    ['forwarded', `for=${mark};host=${mark}`],
    ['accept-language', text],
    ['origin', `https://${mark}.example`],
    ['traceparent', mark],
    ['accept-encoding', 'gzip, br'],
    ['x-original-url', `/${mark}`],
  ])
}
