// The operator's side: businesses ("customers" in the API), their keys and webhook URL. Takes the operator secret only.

import { Type } from 'typebox'
import type { ServerDeps } from '../app/context.ts'
import type { App } from '../platform/http/app.ts'
import { operatorRoutes } from '../platform/http/route.ts'
import { shown } from '../platform/http/schema/paging.ts'
import { closed, idOf, isoTime, lineOf, oneOf } from '../platform/http/schema/schema.ts'
import { newWebhookUrl, webhookUrl } from '../webhooks/endpoints/schema.ts'
import { setWebhookUrl } from '../webhooks/endpoints/webhook-url.ts'
import { apiKey, issuedKey, newKey, newKeyOf } from './api-keys.routes.ts'
import { apiKeyView, issueApiKey, listApiKeys } from './api-keys.ts'
import { businessView, changeAnyBusiness, createBusiness, getAnyBusiness, listAllBusinesses } from './service.ts'

const status = oneOf(['active', 'suspended'])
const name = lineOf(200)
const customer = Type.Object(
  { id: idOf('business'), name: Type.String(), status, createdAt: isoTime, updatedAt: isoTime },
  { title: 'Customer' },
)
export function customerRoutes(app: App, deps: ServerDeps): void {
  const { route, list } = operatorRoutes(app)

  list('GET /v0/customers', {
    id: 'listCustomers',
    summary: 'List customers, newest first',
    items: customer,
    run: async ({ page }) => shown(await listAllBusinesses(deps, page), businessView),
  })

  route('POST /v0/customers', {
    id: 'createCustomer',
    summary: 'Create a customer',
    body: closed({ name }),
    data: customer,
    run: ({ actor, body }) => createBusiness(deps, body, actor),
  })

  route('GET /v0/customers/:customerId', {
    id: 'getCustomer',
    summary: 'Read a customer',
    data: customer,
    errors: ['customer_not_found'],
    run: ({ params }) => getAnyBusiness(deps, params.customerId),
  })

  route('PATCH /v0/customers/:customerId', {
    id: 'updateCustomer',
    summary: 'Rename, suspend or readmit a customer',
    body: closed({ name: Type.Optional(name), status: Type.Optional(status) }, { minProperties: 1 }),
    data: customer,
    errors: ['customer_not_found'],
    run: ({ actor, params, body }) => changeAnyBusiness(deps, params.customerId, body, actor),
  })

  route('PUT /v0/customers/:customerId/webhook-url', {
    id: 'setCustomerWebhookUrl',
    summary: 'Set the webhook URL of a customer',
    body: newWebhookUrl,
    data: webhookUrl,
    errors: ['invalid_webhook_url', 'customer_not_found', 'webhook_endpoint_limit_reached'],
    run: ({ actor, params, body }) => setWebhookUrl(deps, params.customerId, body.webhookUrl, actor),
  })

  list('GET /v0/customers/:customerId/api-keys', {
    id: 'listCustomerApiKeys',
    summary: 'List the API keys of a customer, newest first',
    items: apiKey,
    errors: ['customer_not_found'],
    run: async ({ params, page }) => {
      await getAnyBusiness(deps, params.customerId)
      return shown(await listApiKeys(deps, params.customerId, page), apiKeyView)
    },
  })

  route('POST /v0/customers/:customerId/api-keys', {
    id: 'issueCustomerApiKey',
    summary: 'Issue an API key for a customer',
    body: newKey,
    data: issuedKey,
    errors: ['customer_not_found', 'api_key_limit_reached'],
    run: ({ actor, params, body }) => issueApiKey(deps, params.customerId, newKeyOf(body), actor),
  })
}
