// A business's own API keys; and the operator's side: businesses ("customers" in the API) and their keys.

import { type Static, Type } from 'typebox'
import type { ServerCore } from '../platform/core.ts'
import type { App } from '../platform/http/app.ts'
import { scopes } from '../platform/http/caller.ts'
import { businessRoutes, operatorRoutes } from '../platform/http/route.ts'
import { shown } from '../platform/http/schema/paging.ts'
import { closed, idOf, isoTime, lineOf, named, nullable, oneOf } from '../platform/http/schema/schema.ts'
import {
  apiKeyView,
  issueApiKey,
  issueOwnApiKey,
  listApiKeys,
  revokeAnyApiKey,
  revokeApiKey,
  rollApiKey,
} from './api-keys.ts'
import type { ApiKeys } from './ports.ts'
import { alsoRevoked, withCreated } from './schema.ts'
import { businessView, changeAnyBusiness, createBusiness, getAnyBusiness, listAllBusinesses } from './service.ts'

const scope = oneOf('ApiKeyScope', scopes)

const apiKey = named('ApiKey', {
  id: idOf('apiKey'),
  name: Type.String(),
  lastFour: Type.String(),
  scopes: Type.Array(scope),
  createdAt: isoTime,
  createdBy: Type.String({
    description: 'The id of the API key that issued it, or `operator`.',
    examples: ['operator'],
  }),
  expiresAt: nullable(isoTime),
  lastUsedAt: nullable(isoTime),
  revokedAt: nullable(isoTime),
})

const revokedKey = named('RevokedApiKey', { ...apiKey.properties, alsoRevoked })

const issuedKey = named('IssuedApiKey', {
  ...apiKey.properties,
  key: Type.String({ description: 'The key itself. Only this response contains it.' }),
})
const newKey = closed({
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
function newKeyOf({ expiresAt, ...key }: Static<typeof newKey>) {
  return { ...key, ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt) }) }
}

const whoami = named('WhoAmI', {
  customerId: idOf('business', { description: 'The id of the business.' }),
  name: Type.String(),
  apiKeyId: idOf('apiKey'),
  scopes: Type.Array(scope),
  mode: oneOf('DeploymentMode', ['sandbox', 'live']),
})

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
      'Returns a new key with the same name, scopes and expiration. The old key works for `expiresInHours` more; 0 ends it immediately.',
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
    query: withCreated,
    data: revokedKey,
    errors: ['api_key_not_found'],
    run: ({ deps, business, params, query }) => revokeApiKey(deps, business, params.id, query.withCreated),
  })
}

const status = oneOf('CustomerStatus', ['active', 'suspended'])
const name = lineOf(200)
const customer = named(
  { title: 'Customer', description: 'A business, as the operator sees it.' },
  {
    id: idOf('business'),
    name: Type.String(),
    status,
    emailConflicts: Type.Object(
      { count: Type.Integer(), lastAt: nullable(isoTime) },
      {
        description:
          'How often the provider refused an email address of this business because it belongs to a customer of another business. A high count may be somebody who guesses addresses.',
      },
    ),
    createdAt: isoTime,
    updatedAt: isoTime,
  },
)
export function customerRoutes(app: App, deps: ServerCore & ApiKeys): void {
  const { route, list } = operatorRoutes(app)

  list('GET /v0/customers', {
    id: 'listCustomers',
    summary: 'List businesses, newest first',
    items: customer,
    filters: {
      status,
      q: lineOf(200, { description: 'A part of the name, in capitals or not, or the id.' }),
    },
    run: async ({ filter, page }) => shown(await listAllBusinesses(deps, filter, page), businessView),
  })

  route('POST /v0/customers', {
    id: 'createCustomer',
    summary: 'Create a business',
    body: closed({ name }),
    data: customer,
    run: ({ actor, body }) => createBusiness(deps, body, actor),
  })

  route('GET /v0/customers/:customerId', {
    id: 'getCustomer',
    summary: 'Read a business',
    data: customer,
    errors: ['customer_not_found'],
    run: ({ params }) => getAnyBusiness(deps, params.customerId),
  })

  route('PATCH /v0/customers/:customerId', {
    id: 'updateCustomer',
    summary: 'Rename, suspend or readmit a business',
    body: closed({ name: Type.Optional(name), status: Type.Optional(status) }, { minProperties: 1 }),
    data: customer,
    errors: ['customer_not_found'],
    run: ({ actor, params, body }) => changeAnyBusiness(deps, params.customerId, body, actor),
  })

  list('GET /v0/customers/:customerId/api-keys', {
    id: 'listCustomerApiKeys',
    summary: 'List the API keys of a business, newest first',
    items: apiKey,
    errors: ['customer_not_found'],
    run: async ({ params, page }) => {
      await getAnyBusiness(deps, params.customerId)
      return shown(await listApiKeys(deps, params.customerId, page), apiKeyView)
    },
  })

  route('POST /v0/customers/:customerId/api-keys', {
    id: 'issueCustomerApiKey',
    summary: 'Issue an API key for a business',
    body: newKey,
    data: issuedKey,
    errors: ['customer_not_found', 'api_key_limit_reached'],
    run: ({ actor, params, body }) => issueApiKey(deps, params.customerId, newKeyOf(body), actor),
  })

  route('DELETE /v0/customers/:customerId/api-keys/:id', {
    id: 'revokeCustomerApiKey',
    summary: 'Revoke an API key of a business',
    description: 'The key, its links into the console and their sessions end now.',
    query: withCreated,
    data: revokedKey,
    errors: ['api_key_not_found'],
    run: ({ actor, params, query }) =>
      revokeAnyApiKey(deps, { businessId: params.customerId, id: params.id }, actor, query.withCreated),
  })
}
