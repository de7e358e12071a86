// The webhook URL of a business, set by the business or by the operator.

import type { Core, ServerCore } from '../../platform/core.ts'
import { actorOf } from '../../platform/http/caller.ts'
import { operationsOf, operatorOperations } from '../../platform/http/operation.ts'
import { deleted } from '../../platform/http/schema/schema.ts'
import { newWebhookUrl, webhookUrl } from './schema.ts'
import { deleteWebhookUrl, getWebhookUrl, setWebhookUrl } from './webhook-url.ts'

const exampleUrl = { webhookUrl: 'https://hooks.example.com/in' }
/** The audit actions of setting the URL. */
const setActions = ['webhook_endpoint.created', 'webhook_endpoint.changed', 'webhook_endpoint.enabled']

const { read, write } = operationsOf<Core>('Webhooks', 'webhooks')

export const webhookUrlOperations = [
  write('PUT /v0/webhook-url', {
    id: 'setWebhookUrl',
    summary: 'Set the webhook URL',
    sdk: 'webhookEndpoints.setUrl(body)',
    example: { body: () => exampleUrl },
    audit: setActions,
    description:
      'The URL of your default webhook endpoint. A new URL keeps the signing secret, the sequence and the queued events.',
    body: newWebhookUrl,
    data: webhookUrl,
    errors: ['invalid_webhook_url', 'webhook_endpoint_limit_reached'],
    run: ({ deps, scope: { business, held }, body }) =>
      setWebhookUrl(deps, held, business.id, body.webhookUrl, actorOf(business)),
  }),

  read('GET /v0/webhook-url', {
    id: 'getWebhookUrl',
    summary: 'Read the webhook URL',
    sdk: 'webhookEndpoints.getUrl()',
    data: webhookUrl,
    errors: ['webhook_url_not_set'],
    run: ({ deps, scope }) => getWebhookUrl(deps, scope.business.id),
  }),

  write('DELETE /v0/webhook-url', {
    id: 'deleteWebhookUrl',
    summary: 'Remove the webhook URL',
    sdk: 'webhookEndpoints.deleteUrl()',
    audit: ['webhook_endpoint.deleted'],
    description: 'Queued deliveries to the endpoint are canceled. Its events remain, and you can still read them.',
    data: deleted,
    errors: ['webhook_url_not_set'],
    run: ({ deps, scope }) => deleteWebhookUrl(deps, scope),
  }),
]

/** For the operator: any business. */
export const customerWebhookUrlOperations = [
  operatorOperations<ServerCore>().write('PUT /v0/customers/:customerId/webhook-url', {
    id: 'setCustomerWebhookUrl',
    summary: 'Set the webhook URL of a business',
    example: { body: () => exampleUrl },
    audit: setActions,
    body: newWebhookUrl,
    data: webhookUrl,
    errors: ['invalid_webhook_url', 'customer_not_found', 'webhook_endpoint_limit_reached'],
    run: ({ deps, actor, params, body }) => setWebhookUrl(deps, null, params.customerId, body.webhookUrl, actor),
  }),
]
