// A request to the service, and what holds for every response: checked on each call of the suite.

import assert from 'node:assert/strict'
import { findService } from '../examples/service.ts'

export const { baseUrl, apiKey, adminSecret } = findService()

/** For a test that needs two businesses. */
export const needsOperator = adminSecret === undefined && 'needs an operator: set CAUSEWAY_ADMIN_SECRET'

export interface Options {
  /** Another API key; null sends none. */
  readonly key?: string | null
  readonly headers?: Readonly<Record<string, string>>
  /** A string is sent as it is. */
  readonly body?: unknown
}

export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

export interface Refusal {
  readonly type: string
  readonly code: string
  readonly message: string
  readonly requestId: string
  readonly param?: string
  readonly details?: readonly { readonly param?: string; readonly code: string; readonly message: string }[]
  readonly resolution: string
  readonly docUrl: string
  readonly retryable: boolean
}

const TYPE_OF: Readonly<Record<number, string>> = {
  400: 'validation_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  405: 'validation_error',
  409: 'conflict_error',
  413: 'validation_error',
  415: 'validation_error',
  422: 'business_rule_error',
  429: 'rate_limit_error',
  500: 'server_error',
  503: 'unavailable_error',
  504: 'unavailable_error',
}
const PROPERTIES = ['type', 'code', 'message', 'requestId', 'param', 'details', 'resolution', 'docUrl', 'retryable']

export async function call(
  method: string,
  path: string,
  { key = apiKey, headers, body }: Options = {},
): Promise<Reply> {
  const response = await fetch(new URL(path, baseUrl), {
    method,
    redirect: 'manual',
    headers: {
      ...(key !== null && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  assert.ok(response.headers.get('x-request-id'), `${method} ${path} has no X-Request-Id`)
  const reply = { status: response.status, headers: response.headers, text }
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
  if (response.status !== 200 && isJson) errorOf(reply)
  return reply
}

/** Returns the `data` of a success: the status is always 200, and the body has no other member. */
export async function succeed<T>(method: string, path: string, options?: Options): Promise<T> {
  return dataOf<T>(await call(method, path, options))
}

export function dataOf<T>({ status, text }: Reply): T {
  assert.equal(status, 200, text)
  const body = JSON.parse(text) as { data: T }
  assert.deepEqual(Object.keys(body), ['data'])
  return body.data
}

/** The error of a refusal, with the properties that every refusal has. */
export async function refuse(status: number, code: string, method: string, path: string, options?: Options) {
  return refusalOf(status, code, await call(method, path, options))
}

export function refusalOf(status: number, code: string, reply: Reply): Refusal {
  assert.equal(reply.status, status, reply.text)
  const error = errorOf(reply)
  assert.equal(error.code, code, error.message)
  return error
}

/** The error, in the form that every refusal has. */
function errorOf({ status, headers, text }: Reply): Refusal {
  const body = JSON.parse(text) as { error: Refusal }
  assert.deepEqual(Object.keys(body), ['error'])
  const { error } = body
  assert.equal(error.type, TYPE_OF[status], text)
  // A replayed response has the ID of the original request.
  if (!headers.has('idempotent-replayed')) assert.equal(error.requestId, headers.get('x-request-id'))
  assert.ok(error.message, text)
  assert.ok(error.resolution, text)
  assert.ok(URL.canParse(error.docUrl) && error.docUrl.endsWith(`/${error.code}`), text)
  assert.equal(typeof error.retryable, 'boolean')
  for (const { code, message } of error.details ?? []) assert.ok(code && message, text)
  const unknown = Object.keys(error).filter((name) => !PROPERTIES.includes(name))
  assert.deepEqual(unknown, [])
  return error
}

const DEADLINE_MS = 60_000
const PAUSE_MS = 100

/** Reads until it is as wanted. */
export async function until<T>(what: string, read: () => Promise<T>, wants: (value: T) => boolean): Promise<T> {
  const deadline = performance.now() + DEADLINE_MS
  for (;;) {
    const value = await read()
    if (wants(value)) return value
    if (performance.now() > deadline) assert.fail(`not within ${DEADLINE_MS} ms: ${what}; ${JSON.stringify(value)}`)
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  }
}

/** The next page of a list by RFC 8288, or null. */
export function nextOf({ headers }: Reply): string | null {
  return /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1] ?? null
}
