// The request log of a business.

import { Type } from 'typebox'
import type { Core } from '../../platform/core.ts'
import { catalogue } from '../../platform/errors.ts'
import { operationsOf } from '../../platform/http/operation.ts'
import { filterOf, timeRange } from '../../platform/http/schema/paging.ts'
import {
  anyId,
  closed,
  idOf,
  isoTime,
  lineOf,
  listOf,
  named,
  nullable,
  oneOf,
} from '../../platform/http/schema/schema.ts'
import { listRequestErrors, listRequests } from './service.ts'
import { clients } from './store.ts'

const explanation = nullable(
  named('ApiRequestExplanation', {
    message: Type.String({ examples: [catalogue.holder_not_found.message] }),
    resolution: Type.String({
      description: 'What the caller can do about the error.',
      examples: [catalogue.holder_not_found.resolution],
    }),
  }),
)

const request = named('ApiRequest', {
  requestId: Type.String({ description: 'The `X-Request-Id` of the response.' }),
  createdAt: { ...isoTime, description: 'When the request started.' },
  method: Type.String({ examples: ['GET'] }),
  path: Type.String({
    description: 'The pattern of the path.',
    examples: ['/v0/end-users/:externalUserId'],
  }),
  objectId: nullable(
    Type.String({ description: 'The ID of the object that the path names, or that the request created.' }),
  ),
  externalUserId: nullable(
    Type.String({ description: 'The end-user in the path; null after the end-user is deleted.' }),
  ),
  status: Type.Integer({ description: 'The HTTP status of the response.' }),
  error: nullable(Type.String({ description: 'The `code` of the error.', examples: ['holder_not_found'] })),
  explanation,
  durationMs: Type.Number({ description: 'Milliseconds from the start of the request to the end of the response.' }),
  credentialId: {
    ...anyId,
    description: 'The API key of the request, or the staff member who was signed in to the console.',
    examples: ['key_4xjsr2qfhw3tbn9z8c6vkd5m7e'],
  },
  sessionId: nullable(
    idOf('consoleSession', {
      description: 'The console session that sent the request; null for a request with an API key.',
    }),
  ),
  idempotentReplay: Type.Boolean({
    description: 'Whether the response was the stored response of an earlier request with the same `Idempotency-Key`.',
  }),
})

const client = oneOf('RequestClient', clients, {
  description: '`api`: sent with an API key. `console`: sent by the console.',
})

const filters = {
  status: Type.String({
    pattern: '^[1-5]([0-9][0-9]|xx)$',
    errorText: 'must be an HTTP status such as 404, or a class of them such as 4xx',
    examples: ['4xx'],
  }),
  method: oneOf('RequestMethod', ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']),
  path: lineOf(256, { examples: ['/v0/end-users/:externalUserId'] }),
  error: lineOf(64, { description: 'The `code` of an error, or `*` for any error.', examples: ['holder_not_found'] }),
  kind: oneOf('RequestKind', ['read', 'write'], { description: '`read`: GET and HEAD. `write`: all other methods.' }),
  client,
  requestId: lineOf(128),
  credentialId: anyId,
  by: { ...anyId, description: 'The caller: the ID of a key, a staff member, or a console session.' },
  ...timeRange,
}

/** A page of the request log, for the business itself and for the operator. */
export const requestLog = {
  filters,
  items: request,
  example: { query: () => ({ limit: 1, method: 'POST', path: '/v0/virtual-accounts' }) },
  unindexed: [
    ['status'],
    ['method'],
    ['path'],
    ['error'],
    ['kind'],
    ['client'],
    ['credentialId'],
    ['by'],
    ['method', 'createdAfter', 'createdBefore'],
  ],
} as const

/** The counts of errors, for both. */
export const requestErrors = {
  query: closed({
    client: Type.Optional(client),
    createdAfter: Type.Optional(isoTime),
    createdBefore: Type.Optional(isoTime),
  }),
  data: listOf(
    named('ApiRequestErrors', {
      error: Type.String({ examples: ['holder_not_found'] }),
      count: Type.Integer(),
      lastRequestId: Type.String(),
      lastAt: isoTime,
      explanation,
    }),
  ),
}

const { list, read } = operationsOf<Core>('API keys', 'api_keys')

export const requestOperations = [
  list('GET /v0/requests', {
    id: 'listRequests',
    summary: 'List the requests of your API keys, newest first',
    sdk: 'requests.list(query)',
    description:
      'A request is listed a second or two after its response. The log does not store bodies or query values. Paths contain only IDs that Causeway created, never an `externalUserId`: `externalUserId` is read from the end-user, and is null after the end-user is deleted. If few requests match, a page can have fewer than `limit` items, or none, and still have a next page: follow the `Link` header.',
    ...requestLog,
    run: ({ deps, scope, filter, page }) => listRequests(deps, scope.business, filter, page),
  }),

  read('GET /v0/requests/errors', {
    id: 'listRequestErrors',
    summary: 'Count the errors of your requests by code',
    sdk: 'requests.errors(query)',
    description: 'The most frequent error first. Counts the newest 10,000 failed requests of the time range.',
    ...requestErrors,
    run: ({ deps, scope, query }) => listRequestErrors(deps, scope.business, filterOf(query)),
  }),
]
