// What can be wrong with a request: one rule each.

import type { Operation } from '../../../../server/test/caller.ts'
import { validBody } from './bodies.ts'
import { breakBytes } from './broken-bytes.ts'
import { queryOf } from './described.ts'
import { hostileNames, hostileText } from './hostile-texts.ts'
import { multipartOf } from './multipart.ts'
import type { Parts, RequestPlace } from './parts.ts'
import { brokenValue, jsonText } from './values.ts'
import { headerText } from './wire.ts'

type Break = (parts: Parts, operation: Operation, place: RequestPlace) => void

const breakCredential: Break = (parts, operation, place) => {
  const { draw, mark } = place.making
  if (operation.auth === 'none') return
  const foreignRole = operation.auth === 'operator' ? place.business.key : place.adminSecret
  const wrong = draw.pick<string | null>([
    ...[null, '', mark(), `svc_test_${mark()}`, `svc_live_${'A'.repeat(38)}`, foreignRole, ...place.business.deadKeys],
    ...[
      `${parts.credential}x`,
      parts.credential?.toLowerCase() ?? '',
      headerText(hostileText(draw, mark())),
      'x'.repeat(5_000),
    ],
  ])
  parts.credential = wrong
  parts.expects = [401]
  if (draw.oneIn(6)) {
    parts.credential = null
    parts.headers.push([
      'authorization',
      draw.pick([`Basic ${mark()}`, mark(), 'Bearer', `Bearer  ${mark()} x`, `Digest a="${mark()}"`]),
    ])
  }
}

const breakScope: Break = (parts, operation, { business }) => {
  if (operation.auth !== 'business' || operation.scope === null || operation.scope === 'events:read') return
  parts.credential = business.weakKey
  parts.expects = [403]
}

const breakQuery: Break = (parts, operation, { making: { draw, mark } }) => {
  const known = [...queryOf(operation)]
  if (known.length === 0) return breakHeader(parts, operation, { making: { draw, mark } } as RequestPlace)
  const [name] = draw.pick(known)
  const wrong = draw.pick([
    ...[
      `${name}=${mark()}&${name}=${mark()}`,
      `${name}[]=${mark()}`,
      `${name}[a]=${mark()}`,
      `unknown${draw.below(9)}=${mark()}`,
      `${name.toUpperCase()}x=${mark()}`,
    ],
    ...[
      `${name}=%00${mark()}`,
      `${name}=%ff${mark()}`,
      `${name}=%`,
      `${name}=%ud800`,
      `${name}`,
      `${name}=`,
      `=${mark()}`,
      `&&&`,
      `${name}=-1`,
      `${name}=1e3`,
      `${name}=99999999999999999999`,
    ],
    ...[
      `__proto__=${mark()}`,
      `constructor[prototype]=${mark()}`,
      `cursor=${mark()}`,
      `after=${mark()}`,
      `cursor=`,
      `${name}=${'x'.repeat(4_000)}`,
      `limit=0`,
      'limit=101',
      'limit=%2010',
    ],
    ...[
      `cursor=${Buffer.from(JSON.stringify({ at: 'x', id: mark() })).toString('base64url')}`,
      `createdAfter=${encodeURIComponent('9999-12-31T23:59:59Z')}&createdBefore=0000-01-01T00:00:00Z`,
    ],
  ])
  parts.query = draw.oneIn(2) || parts.query === '' ? `?${wrong}` : `${parts.query}&${wrong}`
}

const breakPath: Break = (parts, operation, { making: { draw, mark } }) => {
  if (!operation.path.includes('{')) {
    const suffix = draw.pick(['/', '//', `/${mark()}`, '%2f', '%00', `;a=${mark()}`, `.json`, '%', '%zz', '\\'])
    parts.path += suffix
    return
  }
  const segment = draw.pick([
    ...[
      '',
      '%',
      '%zz',
      '%00',
      '%ff',
      '%c0%af',
      '..',
      '%2e%2e',
      '%2F',
      `${mark()}%00`,
      mark(),
      `%0d%0a${mark()}`,
      'x'.repeat(129),
      'x'.repeat(2_049),
      '%F0%9F%98%80'.repeat(128),
    ],
    ...[
      encodeURIComponent(hostileText(draw, mark()).toWellFormed()),
      encodeURIComponent(hostileText(draw, mark()).toWellFormed()),
      ...hostileNames.map((name) => encodeURIComponent(name.toWellFormed())),
    ],
  ])
  parts.path = operation.path.replace(/\{\w+\}/, () => segment)
  parts.expects = null
}

const breakMethod: Break = (parts, operation, { making: { draw } }) => {
  parts.method = draw.pick(
    ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY'].filter(
      (method) => method !== operation.method,
    ),
  )
  parts.expects = null
}

const breakHeader: Break = (parts, operation, { making: { draw, mark } }) => {
  if (operation.takesIdempotencyKey && draw.oneIn(2)) {
    parts.headers = [
      ['idempotency-key', draw.pick(['', ' ', 'x'.repeat(256), `${mark()}\t`, `é${mark()}`, `${mark()}\u0080`])],
    ]
    parts.expects = null
    return
  }
  parts.headers.push(
    draw.pick<[string, string]>([
      ['x-long', mark().repeat(2_000)],
      ['content-encoding', draw.pick(['gzip', 'br', 'deflate', mark()])],
      ['expect', draw.pick(['100-continue', mark()])],
      ['accept', draw.pick(['application/problem+json', 'text/html', `${mark()}/*`, '*/*;q=0', 'application/xml'])],
      ['accept', 'application/problem+json'],
      ['x-http-method-override', 'DELETE'],
      ['range', 'bytes=0-1'],
      ['if-none-match', '*'],
      ['upgrade', 'websocket'],
      ['x-request-id', draw.pick(['', 'x'.repeat(129), 'a b', `<${'s'.repeat(9)}>`, 'é'])],
    ]),
  )
}

const breakBody: Break = (parts, operation, place) => {
  const { draw } = place.making
  if (parts.body === null || operation.body === null) return
  if (operation.id === 'submitKyc' && draw.oneIn(2)) {
    const files = multipartOf(draw, validBody(operation, place), true)
    parts.body = files.body
    parts.contentType = files.contentType
    return
  }
  const value = brokenValue(operation.body, validBody(operation, place) ?? {}, place.making)
  parts.contentType = 'application/json'
  parts.body = Buffer.from(jsonText(value) ?? 'null')
}

const breakForm: Break = (parts, operation, place) => {
  const { draw, mark } = place.making
  const broken = breakBytes(draw, parts.body ?? Buffer.from('{}'), mark())
  parts.body = broken.body
  parts.contentType = broken.contentType
  if (broken.refused && operation.body !== null) parts.expects = [400, 413, 415, 404, 409, 422]
  if (broken.headers) parts.headers.push(...broken.headers)
}

export const breaks: readonly Break[] = [
  breakCredential,
  breakScope,
  breakQuery,
  breakPath,
  breakMethod,
  breakHeader,
  breakForm,
  breakForm,
  breakBody,
  breakBody,
  breakBody,
  breakBody,
]
export const bodilessBreaks: readonly Break[] = [
  breakCredential,
  breakScope,
  breakQuery,
  breakQuery,
  breakPath,
  breakPath,
  breakMethod,
  breakHeader,
  breakForm,
]
