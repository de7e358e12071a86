// The webhook URL of a business, and its webhook endpoints, each with its filter, ordering, secret and sequence.

import { Type } from 'typebox'
import { businessEventTypes } from '../../events/catalogue.rules.ts'
import type { ServerCore } from '../../platform/core.ts'
import type { App } from '../../platform/http/app.ts'
import { actorOf } from '../../platform/http/caller.ts'
import type { Keyed } from '../../platform/http/idempotency/service.ts'
import { businessRoutes, operatorRoutes } from '../../platform/http/route.ts'
import { shown } from '../../platform/http/schema/paging.ts'
import { closed, deleted, oneOf } from '../../platform/http/schema/schema.ts'
import {
  endpointWithSecret,
  newWebhookUrl,
  settings,
  testSent,
  webhookEndpoint,
  webhookUrl,
  webhookUrlText,
} from './schema.ts'
import {
  changeEndpoint,
  createEndpoint,
  deleteEndpoint,
  endpointView,
  getEndpoint,
  listEndpoints,
  rotateSecret,
  testEndpoint,
} from './service.ts'
import { deleteWebhookUrl, getWebhookUrl, setWebhookUrl } from './webhook-url.ts'

const overlapHoursDefault = 24

export function webhookUrlRoutes(app: App): void {
  const { route } = businessRoutes(app, 'Webhooks', 'webhooks')

  route('PUT /v0/webhook-url', {
    id: 'setWebhookUrl',
    summary: 'Set the webhook URL',
    description:
      'Where your events go: the default one of your webhook endpoints. A new address keeps the signing secret, the sequence and the events that wait.',
    body: newWebhookUrl,
    data: webhookUrl,
    errors: ['invalid_webhook_url', 'webhook_endpoint_limit_reached'],
    run: ({ deps, business, body }) => setWebhookUrl(deps, business.id, body.webhookUrl, actorOf(business)),
  })

  route('GET /v0/webhook-url', {
    id: 'getWebhookUrl',
    summary: 'Read the webhook URL',
    data: webhookUrl,
    errors: ['webhook_url_not_set'],
    run: ({ deps, business }) => getWebhookUrl(deps, business.id),
  })

  route('DELETE /v0/webhook-url', {
    id: 'deleteWebhookUrl',
    summary: 'Remove the webhook URL',
    description: 'Deliveries to it end, waiting ones included. The events stay and can be read.',
    data: deleted,
    errors: ['webhook_url_not_set'],
    run: ({ deps, business }) => deleteWebhookUrl(deps, business),
  })
}

/** For the operator: any business. */
export function customerWebhookUrlRoutes(app: App, deps: ServerCore & Keyed): void {
  const { route } = operatorRoutes(app)

  route('PUT /v0/customers/:customerId/webhook-url', {
    id: 'setCustomerWebhookUrl',
    summary: 'Set the webhook URL of a business',
    body: newWebhookUrl,
    data: webhookUrl,
    errors: ['invalid_webhook_url', 'customer_not_found', 'webhook_endpoint_limit_reached'],
    run: ({ actor, params, body }) => setWebhookUrl(deps, params.customerId, body.webhookUrl, actor),
  })
}

export function webhookEndpointRoutes(app: App): void {
  const { route, list } = businessRoutes(app, 'Webhooks', 'webhooks')

  list('GET /v0/webhook-endpoints', {
    id: 'listWebhookEndpoints',
    summary: 'List webhook endpoints, newest first',
    items: webhookEndpoint,
    run: async ({ deps, business, page }) => shown(await listEndpoints(deps, business, page), endpointView),
  })

  route('POST /v0/webhook-endpoints', {
    id: 'createWebhookEndpoint',
    summary: 'Create a webhook endpoint',
    description: 'It gets what happens from now on. A business has at most 20.',
    body: closed({ webhookUrl: webhookUrlText, ...settings }),
    data: endpointWithSecret,
    errors: ['invalid_webhook_url', 'webhook_endpoint_limit_reached'],
    run: ({ deps, business, body }) => createEndpoint(deps, business, body),
  })

  route('GET /v0/webhook-endpoints/:id', {
    id: 'getWebhookEndpoint',
    summary: 'Read a webhook endpoint',
    data: webhookEndpoint,
    errors: ['webhook_endpoint_not_found'],
    run: ({ deps, business, params }) => getEndpoint(deps, business, params.id),
  })

  route('PATCH /v0/webhook-endpoints/:id', {
    id: 'updateWebhookEndpoint',
    summary: 'Change, pause or resume a webhook endpoint',
    description:
      'A paused or disabled endpoint keeps its events; `"status": "enabled"` sends them on, at a rate that grows. Other `eventTypes` count for events from now on, another `ordering` for those that wait as well.',
    body: closed(
      {
        webhookUrl: Type.Optional(webhookUrlText),
        ...settings,
        status: Type.Optional(oneOf('WebhookEndpointSwitch', ['enabled', 'paused'])),
      },
      { minProperties: 1 },
    ),
    data: webhookEndpoint,
    errors: ['invalid_webhook_url', 'webhook_endpoint_not_found'],
    run: ({ deps, business, params, body }) => changeEndpoint(deps, business, params.id, body),
  })

  route('DELETE /v0/webhook-endpoints/:id', {
    id: 'deleteWebhookEndpoint',
    summary: 'Delete a webhook endpoint',
    description: 'Deliveries to it end; waiting ones are cancelled. The events stay and can be read.',
    data: deleted,
    errors: ['webhook_endpoint_not_found'],
    run: ({ deps, business, params }) => deleteEndpoint(deps, business, params.id),
  })

  route('POST /v0/webhook-endpoints/:id/rotate-secret', {
    id: 'rotateWebhookSecret',
    summary: 'Replace the signing secret of a webhook endpoint',
    description:
      'Answers a new secret. The old one signs beside it for `overlapHours`; 0 ends it now. At most two sign: a second rotation ends the oldest.',
    body: closed({
      overlapHours: Type.Optional(Type.Integer({ minimum: 0, maximum: 168, default: overlapHoursDefault })),
    }),
    data: endpointWithSecret,
    errors: ['webhook_endpoint_not_found'],
    run: ({ deps, business, params, body: { overlapHours = overlapHoursDefault } }) =>
      rotateSecret(deps, business, params.id, overlapHours),
  })

  route('POST /v0/webhook-endpoints/:id/test', {
    id: 'testWebhookEndpoint',
    summary: 'Send a test event to a webhook endpoint',
    description:
      'To this endpoint alone, whatever it subscribed to: `webhook_endpoint.test`, or an example of the type that is named, marked with `"test": true` in its envelope. A paused endpoint keeps it until it goes on.',
    body: closed({ eventType: Type.Optional(oneOf('BusinessEventType', businessEventTypes)) }),
    data: testSent,
    errors: ['webhook_endpoint_not_found'],
    run: ({ deps, business, params, body }) => testEndpoint(deps, business, params.id, body.eventType),
  })
}
