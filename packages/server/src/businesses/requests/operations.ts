// The log of a business's requests, as its developers see it.

import { Type } from 'typebox'
import type { Core } from '../../platform/core.ts'
import { catalogue } from '../../platform/errors.ts'
import { operationsOf } from '../../platform/http/operation.ts'
import { timeRange } from '../../platform/http/schema/paging.ts'
import { anyId, idOf, isoTime, lineOf, named, nullable, oneOf } from '../../platform/http/schema/schema.ts'
import { listRequests } from './service.ts'

const request = named('ApiRequest', {
  requestId: Type.String({ description: 'The `X-Request-Id` of the answer.' }),
  createdAt: { ...isoTime, description: 'When the request began.' },
  method: Type.String({ examples: ['GET'] }),
  path: Type.String({
    description: 'The pattern of the path, without what it named.',
    examples: ['/v0/end-users/:externalUserId'],
  }),
  status: Type.Integer({ description: 'The HTTP status of the answer.' }),
  error: nullable(Type.String({ description: 'The `code` of the error.', examples: ['holder_not_found'] })),
  explanation: nullable(
    named('ApiRequestExplanation', {
      message: Type.String({ examples: [catalogue.holder_not_found.message] }),
      resolution: Type.String({
        description: 'What the caller does about it.',
        examples: [catalogue.holder_not_found.resolution],
      }),
    }),
  ),
  durationMs: Type.Number({ description: 'Milliseconds from the start of the request to the end of its answer.' }),
  keyId: idOf('apiKey', { description: 'The API key that was used.' }),
  sessionId: nullable(
    idOf('consoleSession', {
      description: 'The session of the console that used the key; null of a request with the key.',
    }),
  ),
  idempotentReplay: Type.Boolean({
    description: 'Whether the answer was that of an earlier request with the same `Idempotency-Key`.',
  }),
})

const filters = {
  status: Type.String({
    pattern: '^[1-5]([0-9][0-9]|xx)$',
    errorText: 'must be an HTTP status such as 404, or a class of them such as 4xx',
    examples: ['4xx'],
  }),
  method: oneOf('RequestMethod', ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']),
  path: lineOf(256, { examples: ['/v0/end-users/:externalUserId'] }),
  requestId: lineOf(128),
  keyId: anyId,
  by: { ...anyId, description: 'Who asked: the id of a key, or of a session of the console.' },
  ...timeRange,
}

const { list } = operationsOf<Core>('API keys', 'api_keys')

export const requestOperations = [
  list('GET /v0/requests', {
    id: 'listRequests',
    summary: 'List the requests of your API keys, newest first',
    sdk: 'requests.list(query)',
    example: { query: () => ({ limit: 1, method: 'POST', path: '/v0/virtual-accounts' }) },
    unindexed: [['status'], ['method'], ['path'], ['keyId'], ['by'], ['method', 'createdAfter', 'createdBefore']],
    description:
      'A request is listed a second or two after its answer. The log holds no bodies, no query values and nothing that a path names. A page of rare requests may have fewer than `limit`, or none, and a next page all the same: follow the `Link` header.',
    filters,
    items: request,
    run: ({ deps, scope, filter, page }) => listRequests(deps, scope.business, filter, page),
  }),
]
