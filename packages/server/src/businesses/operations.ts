// A business's own API keys.

import { Type } from 'typebox'
import { operationsOf } from '../platform/http/operation.ts'
import { shown } from '../platform/http/schema/paging.ts'
import { closed, idOf, named, nullable, oneOf } from '../platform/http/schema/schema.ts'
import { apiKeyView, issueOwnApiKey, listApiKeys, revokeApiKey, rollApiKey } from './api-keys.ts'
import type { ApiKeys } from './ports.ts'
import { apiKey, apiKeyScope, issuedKey, newKey, newKeyOf, revokedKey, withCreated } from './schema.ts'

const whoami = named('WhoAmI', {
  customerId: idOf('business', { description: 'The ID of the business.' }),
  name: Type.String(),
  apiKeyId: nullable(idOf('apiKey', { description: 'Null for a staff member who is signed in to the console.' })),
  scopes: Type.Array(apiKeyScope),
  mode: oneOf('DeploymentMode', ['sandbox', 'live']),
})

const expiresInHoursDefault = 24

const anyKey = operationsOf<ApiKeys>('API keys', null)
const { write, list } = operationsOf<ApiKeys>('API keys', 'api_keys')

export const apiKeyOperations = [
  anyKey.read('GET /v0/whoami', {
    id: 'whoAmI',
    summary: 'Read the identity of this API key',
    sdk: 'apiKeys.whoAmI()',
    command: null,
    data: whoami,
    run: ({ deps, scope: { business } }) => ({
      customerId: business.id,
      name: business.name,
      apiKeyId: business.person === null ? business.credentialId : null,
      scopes: [...business.scopes],
      mode: deps.config.mode,
    }),
  }),

  list('GET /v0/api-keys', {
    id: 'listApiKeys',
    summary: 'List API keys, newest first',
    sdk: 'apiKeys.list(query)',
    items: apiKey,
    run: async ({ deps, scope, page }) => shown(await listApiKeys(deps, scope.business.id, page), apiKeyView),
  }),

  write('POST /v0/api-keys', {
    id: 'issueApiKey',
    summary: 'Issue an API key',
    sdk: 'apiKeys.issue(body)',
    command: 'api-keys issue',
    example: { body: () => ({}) },
    audit: ['api_key.created'],
    sensitive: true,
    body: newKey,
    data: issuedKey,
    errors: ['api_key_limit_reached'],
    run: ({ deps, scope, body }) => issueOwnApiKey(deps, scope, newKeyOf(body)),
  }),

  write('POST /v0/api-keys/:id/roll', {
    id: 'rollApiKey',
    summary: 'Replace an API key',
    sdk: 'apiKeys.roll(at, body)',
    example: { body: () => ({}) },
    audit: ['api_key.rolled'],
    sensitive: true,
    description:
      'Returns a new key with the same name, scopes and expiration. The old key works for `expiresInHours` more; 0 ends it immediately.',
    body: closed({
      expiresInHours: Type.Optional(Type.Integer({ minimum: 0, maximum: 168, default: expiresInHoursDefault })),
    }),
    data: issuedKey,
    errors: ['api_key_not_found', 'api_key_limit_reached'],
    run: ({ deps, scope, params, body: { expiresInHours = expiresInHoursDefault } }) =>
      rollApiKey(deps, scope, params.id, expiresInHours),
  }),

  write('DELETE /v0/api-keys/:id', {
    id: 'revokeApiKey',
    summary: 'Revoke an API key',
    sdk: 'apiKeys.revoke(at, query)',
    command: 'api-keys revoke',
    audit: ['api_key.revoked'],
    sensitive: true,
    description: 'A key cannot revoke a key that has scopes which the calling key lacks.',
    query: withCreated,
    data: revokedKey,
    errors: ['api_key_not_found'],
    run: ({ deps, scope, params, query }) => revokeApiKey(deps, scope, params.id, query.withCreated),
  }),
]
