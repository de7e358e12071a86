// The operator's side: businesses ("customers" in the API), their keys and webhook URL. Takes the operator secret only.

import { Type } from 'typebox'
import type { ServerDeps } from '../app/context.ts'
import { type App, operatorOf } from '../platform/http/app.ts'
import { pageRequestOf, sendPage } from '../platform/http/schema/paging.ts'
import {
  anyId,
  closed,
  dataOf,
  idOf,
  isoTime,
  lineOf,
  listQuery,
  oneOf,
  pageOf,
  responses,
} from '../platform/http/schema/schema.ts'
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
const byId = closed({ customerId: anyId })
const operator = { auth: 'operator' } as const

export function customerRoutes(app: App, deps: ServerDeps): void {
  app.get(
    '/v0/customers',
    {
      config: operator,
      schema: {
        operationId: 'listCustomers',
        summary: 'List customers, newest first',
        tags: ['Operator'],
        querystring: listQuery({}),
        response: responses(pageOf(customer)),
      },
    },
    async (request, reply) => {
      const page = await listAllBusinesses(deps, pageRequestOf(request.query))
      return sendPage(reply, { ...page, items: page.items.map(businessView) })
    },
  )

  app.post(
    '/v0/customers',
    {
      config: operator,
      schema: {
        operationId: 'createCustomer',
        summary: 'Create a customer',
        tags: ['Operator'],
        body: closed({ name }),
        response: responses(dataOf(customer)),
      },
    },
    async (request) => ({ data: await createBusiness(deps, request.body, operatorOf(request)) }),
  )

  app.get(
    '/v0/customers/:customerId',
    {
      config: operator,
      schema: {
        operationId: 'getCustomer',
        summary: 'Read a customer',
        tags: ['Operator'],
        params: byId,
        response: responses(dataOf(customer), 'customer_not_found'),
      },
    },
    async (request) => ({ data: await getAnyBusiness(deps, request.params.customerId) }),
  )

  app.patch(
    '/v0/customers/:customerId',
    {
      config: operator,
      schema: {
        operationId: 'updateCustomer',
        summary: 'Rename, suspend or readmit a customer',
        tags: ['Operator'],
        params: byId,
        body: closed({ name: Type.Optional(name), status: Type.Optional(status) }, { minProperties: 1 }),
        response: responses(dataOf(customer), 'customer_not_found'),
      },
    },
    async (request) => ({
      data: await changeAnyBusiness(deps, request.params.customerId, request.body, operatorOf(request)),
    }),
  )

  app.put(
    '/v0/customers/:customerId/webhook-url',
    {
      config: operator,
      schema: {
        operationId: 'setCustomerWebhookUrl',
        summary: 'Set the webhook URL of a customer',
        tags: ['Operator'],
        params: byId,
        body: newWebhookUrl,
        response: responses(
          dataOf(webhookUrl),
          'invalid_webhook_url',
          'customer_not_found',
          'webhook_endpoint_limit_reached',
        ),
      },
    },
    async (request) => ({
      data: await setWebhookUrl(deps, request.params.customerId, request.body.webhookUrl, operatorOf(request)),
    }),
  )

  app.get(
    '/v0/customers/:customerId/api-keys',
    {
      config: operator,
      schema: {
        operationId: 'listCustomerApiKeys',
        summary: 'List the API keys of a customer, newest first',
        tags: ['Operator'],
        params: byId,
        querystring: listQuery({}),
        response: responses(pageOf(apiKey), 'customer_not_found'),
      },
    },
    async (request, reply) => {
      await getAnyBusiness(deps, request.params.customerId)
      const page = await listApiKeys(deps, request.params.customerId, pageRequestOf(request.query))
      return sendPage(reply, { ...page, items: page.items.map(apiKeyView) })
    },
  )

  app.post(
    '/v0/customers/:customerId/api-keys',
    {
      config: operator,
      schema: {
        operationId: 'issueCustomerApiKey',
        summary: 'Issue an API key for a customer',
        tags: ['Operator'],
        params: byId,
        body: Type.Optional(newKey),
        response: responses(dataOf(issuedKey), 'customer_not_found', 'api_key_limit_reached'),
      },
    },
    async (request) => ({
      data: await issueApiKey(deps, request.params.customerId, newKeyOf(request.body), operatorOf(request)),
    }),
  )
}
