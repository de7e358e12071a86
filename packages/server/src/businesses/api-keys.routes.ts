// A business's own keys: who am I, list, issue, roll, revoke.

import { Type } from 'typebox'
import type { EdgeDeps } from '../app/context.ts'
import { type App, businessOf, depsOf } from '../platform/http/app.ts'
import { scopes } from '../platform/http/caller.ts'
import { pageRequestOf, sendPage } from '../platform/http/schema/paging.ts'
import {
  anyId,
  closed,
  dataOf,
  idOf,
  isoTime,
  lineOf,
  listQuery,
  nullable,
  oneOf,
  pageOf,
  responses,
} from '../platform/http/schema/schema.ts'
import { apiKeyView, issueOwnApiKey, listApiKeys, revokeApiKey, rollApiKey } from './api-keys.ts'

const scope = oneOf(scopes)

const keyFields = {
  id: idOf('apiKey'),
  name: Type.String(),
  lastFour: Type.String(),
  scopes: Type.Array(scope),
  createdAt: isoTime,
  expiresAt: nullable(isoTime),
  lastUsedAt: nullable(isoTime),
  revokedAt: nullable(isoTime),
}

export const apiKey = Type.Object(keyFields, { title: 'ApiKey' })
export const issuedKey = Type.Object(
  { ...keyFields, key: Type.String({ description: 'The key itself. It is shown this once.' }) },
  { title: 'IssuedApiKey' },
)
export const newKey = closed({
  name: Type.Optional(lineOf(100)),
  scopes: Type.Optional(
    Type.Array(scope, {
      minItems: 1,
      maxItems: scopes.length,
      uniqueItems: true,
      description: 'Default: all that the calling key has.',
    }),
  ),
  expiresAt: Type.Optional(isoTime),
})

/** What the body of a new key means to the services. */
export function newKeyOf(body: { name?: string; scopes?: (typeof scopes)[number][]; expiresAt?: string } | undefined) {
  return {
    ...(body?.name === undefined ? {} : { name: body.name }),
    ...(body?.scopes === undefined ? {} : { scopes: body.scopes }),
    ...(body?.expiresAt === undefined ? {} : { expiresAt: new Date(body.expiresAt) }),
  }
}

const whoami = Type.Object(
  {
    customerId: idOf('business'),
    name: Type.String(),
    apiKeyId: idOf('apiKey'),
    scopes: Type.Array(scope),
    mode: oneOf(['sandbox', 'live']),
  },
  { title: 'WhoAmI' },
)

const byId = closed({ id: anyId })
const write = { auth: 'business', scope: 'api_keys:write' } as const

export function apiKeyRoutes(app: App, deps: EdgeDeps): void {
  app.get(
    '/v0/whoami',
    {
      config: { auth: 'business' },
      schema: {
        operationId: 'whoAmI',
        summary: 'Read whose key this is',
        tags: ['API keys'],
        response: responses(dataOf(whoami)),
      },
    },
    (request) => {
      const business = businessOf(request)
      const { id, name, keyId } = business
      return { data: { customerId: id, name, apiKeyId: keyId, scopes: [...business.scopes], mode: deps.config.mode } }
    },
  )

  app.get(
    '/v0/api-keys',
    {
      config: { auth: 'business', scope: 'api_keys:read' },
      schema: {
        operationId: 'listApiKeys',
        summary: 'List API keys, newest first',
        tags: ['API keys'],
        querystring: listQuery({}),
        response: responses(pageOf(apiKey)),
      },
    },
    async (request, reply) => {
      const page = await listApiKeys(depsOf(request), businessOf(request).id, pageRequestOf(request.query))
      return sendPage(reply, { ...page, items: page.items.map(apiKeyView) })
    },
  )

  app.post(
    '/v0/api-keys',
    {
      config: write,
      schema: {
        operationId: 'issueApiKey',
        summary: 'Issue an API key',
        tags: ['API keys'],
        body: Type.Optional(newKey),
        response: responses(dataOf(issuedKey), 'api_key_limit_reached'),
      },
    },
    async (request) => ({ data: await issueOwnApiKey(depsOf(request), businessOf(request), newKeyOf(request.body)) }),
  )

  app.post(
    '/v0/api-keys/:id/roll',
    {
      config: write,
      schema: {
        operationId: 'rollApiKey',
        summary: 'Replace an API key',
        description:
          'Answers a new key with the same name and scopes. The old one goes on for `expiresInHours`; 0 ends it now.',
        tags: ['API keys'],
        params: byId,
        body: Type.Optional(
          closed({ expiresInHours: Type.Optional(Type.Integer({ minimum: 0, maximum: 168, default: 24 })) }),
        ),
        response: responses(dataOf(issuedKey), 'api_key_not_found', 'api_key_limit_reached'),
      },
    },
    async (request) => ({
      data: await rollApiKey(
        depsOf(request),
        businessOf(request),
        request.params.id,
        request.body?.expiresInHours ?? 24,
      ),
    }),
  )

  app.delete(
    '/v0/api-keys/:id',
    {
      config: write,
      schema: {
        operationId: 'revokeApiKey',
        summary: 'Revoke an API key',
        description: 'A key cannot revoke one that may do what it may not do itself.',
        tags: ['API keys'],
        params: byId,
        response: responses(dataOf(apiKey), 'api_key_not_found'),
      },
    },
    async (request) => ({ data: await revokeApiKey(depsOf(request), businessOf(request), request.params.id) }),
  )
}
