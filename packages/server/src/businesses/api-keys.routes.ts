// A business's own keys: who am I, list, issue, roll, revoke.

import { type Static, Type } from 'typebox'
import type { App } from '../platform/http/app.ts'
import { scopes } from '../platform/http/caller.ts'
import { businessRoutes } from '../platform/http/route.ts'
import { shown } from '../platform/http/schema/paging.ts'
import { closed, idOf, isoTime, lineOf, nullable, oneOf } from '../platform/http/schema/schema.ts'
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

/** Reads the body of a new key for the services: with its time as a date. */
export function newKeyOf({ expiresAt, ...key }: Static<typeof newKey>) {
  return { ...key, ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt) }) }
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

const expiresInHoursDefault = 24

export function apiKeyRoutes(app: App): void {
  const { route: anyKeyRoute } = businessRoutes(app, 'API keys')
  const { route, list } = businessRoutes(app, 'API keys', 'api_keys')

  anyKeyRoute('GET /v0/whoami', {
    id: 'whoAmI',
    summary: 'Read whose key this is',
    data: whoami,
    run: ({ deps, business: { id, name, keyId, scopes } }) => ({
      customerId: id,
      name,
      apiKeyId: keyId,
      scopes: [...scopes],
      mode: deps.config.mode,
    }),
  })

  list('GET /v0/api-keys', {
    id: 'listApiKeys',
    summary: 'List API keys, newest first',
    items: apiKey,
    run: async ({ deps, business, page }) => shown(await listApiKeys(deps, business.id, page), apiKeyView),
  })

  route('POST /v0/api-keys', {
    id: 'issueApiKey',
    summary: 'Issue an API key',
    body: newKey,
    data: issuedKey,
    errors: ['api_key_limit_reached'],
    run: ({ deps, business, body }) => issueOwnApiKey(deps, business, newKeyOf(body)),
  })

  route('POST /v0/api-keys/:id/roll', {
    id: 'rollApiKey',
    summary: 'Replace an API key',
    description:
      'Answers a new key with the same name and scopes. The old one goes on for `expiresInHours`; 0 ends it now.',
    body: closed({
      expiresInHours: Type.Optional(Type.Integer({ minimum: 0, maximum: 168, default: expiresInHoursDefault })),
    }),
    data: issuedKey,
    errors: ['api_key_not_found', 'api_key_limit_reached'],
    run: ({ deps, business, params, body: { expiresInHours = expiresInHoursDefault } }) =>
      rollApiKey(deps, business, params.id, expiresInHours),
  })

  route('DELETE /v0/api-keys/:id', {
    id: 'revokeApiKey',
    summary: 'Revoke an API key',
    description: 'A key cannot revoke one that may do what it may not do itself.',
    data: apiKey,
    errors: ['api_key_not_found'],
    run: ({ deps, business, params }) => revokeApiKey(deps, business, params.id),
  })
}
