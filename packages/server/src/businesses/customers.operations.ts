// The operator's side: businesses ("customers" in the API) and their keys.

import { Type } from 'typebox'
import type { ServerCore } from '../platform/core.ts'
import { operatorOperations } from '../platform/http/operation.ts'
import { shown } from '../platform/http/schema/paging.ts'
import { closed, idOf, isoTime, lineOf, named, nullable, oneOf } from '../platform/http/schema/schema.ts'
import { apiKeyView, issueApiKey, listApiKeys, revokeAnyApiKey } from './api-keys.ts'
import type { ApiKeys } from './ports.ts'
import { apiKey, issuedKey, newKey, newKeyOf, revokedKey, withCreated } from './schema.ts'
import { businessView, changeAnyBusiness, createBusiness, getAnyBusiness, listAllBusinesses } from './service.ts'

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
          'How often the provider rejected an email address of this business because it belongs to a customer of another business. A high count can mean that someone is guessing addresses.',
      },
    ),
    createdAt: isoTime,
    updatedAt: isoTime,
  },
)

const { read, write, list } = operatorOperations<ServerCore & ApiKeys>()

export const customerOperations = [
  list('GET /v0/customers', {
    id: 'listCustomers',
    summary: 'List businesses, newest first',
    example: { query: () => ({ limit: 1 }) },
    unindexed: [['q']],
    items: customer,
    filters: {
      status,
      q: lineOf(200, { description: 'A part of the name, not case-sensitive, or the ID.' }),
    },
    run: async ({ deps, filter, page }) => shown(await listAllBusinesses(deps, filter, page), businessView),
  }),

  write('POST /v0/customers', {
    id: 'createCustomer',
    summary: 'Create a business',
    example: { body: () => ({ name: 'A customer' }) },
    audit: ['customer.created'],
    body: closed({ name }),
    data: customer,
    run: ({ deps, actor, body }) => createBusiness(deps, body, actor),
  }),

  read('GET /v0/customers/:customerId', {
    id: 'getCustomer',
    summary: 'Read a business',
    data: customer,
    errors: ['customer_not_found'],
    run: ({ deps, params }) => getAnyBusiness(deps, params.customerId),
  }),

  write('PATCH /v0/customers/:customerId', {
    id: 'updateCustomer',
    summary: 'Rename, suspend or reinstate a business',
    example: { body: () => ({ name: 'A customer' }) },
    audit: ['customer.renamed', 'customer.suspended', 'customer.resumed'],
    body: closed({ name: Type.Optional(name), status: Type.Optional(status) }, { minProperties: 1 }),
    data: customer,
    errors: ['customer_not_found'],
    run: ({ deps, actor, params, body }) => changeAnyBusiness(deps, params.customerId, body, actor),
  }),

  list('GET /v0/customers/:customerId/api-keys', {
    id: 'listCustomerApiKeys',
    summary: 'List the API keys of a business, newest first',
    items: apiKey,
    errors: ['customer_not_found'],
    run: async ({ deps, params, page }) => {
      await getAnyBusiness(deps, params.customerId)
      return shown(await listApiKeys(deps, params.customerId, page), apiKeyView)
    },
  }),

  write('POST /v0/customers/:customerId/api-keys', {
    id: 'issueCustomerApiKey',
    summary: 'Issue an API key for a business',
    command: 'customers issue-api-key',
    example: { body: () => ({}) },
    audit: ['api_key.created'],
    sensitive: true,
    body: newKey,
    data: issuedKey,
    errors: ['customer_not_found', 'api_key_limit_reached'],
    run: ({ deps, actor, params, body }) => issueApiKey(deps, params.customerId, newKeyOf(body), actor),
  }),

  write('DELETE /v0/customers/:customerId/api-keys/:id', {
    id: 'revokeCustomerApiKey',
    summary: 'Revoke an API key of a business',
    command: 'customers revoke-api-key',
    audit: ['api_key.revoked'],
    sensitive: true,
    description: 'The key, its console links and their sessions end immediately.',
    query: withCreated,
    data: revokedKey,
    errors: ['api_key_not_found'],
    run: ({ deps, actor, params, query }) =>
      revokeAnyApiKey(deps, { businessId: params.customerId, id: params.id }, actor, query.withCreated),
  }),
]
