// The webhook endpoints of a business, each with its filter, ordering, secret and sequence.

import { Type } from 'typebox'
import { businessEventTypes } from '../../events/catalogue.rules.ts'
import { operationsOf } from '../../platform/http/operation.ts'
import { shown } from '../../platform/http/schema/paging.ts'
import { closed, deleted, oneOf } from '../../platform/http/schema/schema.ts'
import type { Endpoints } from './ports.ts'
import { endpointWithSecret, settings, testSent, webhookEndpoint, webhookUrlText } from './schema.ts'
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

const overlapHoursDefault = 24

const { read, write, list } = operationsOf<Endpoints>('Webhooks', 'webhooks')

export const webhookEndpointOperations = [
  list('GET /v0/webhook-endpoints', {
    id: 'listWebhookEndpoints',
    summary: 'List webhook endpoints, newest first',
    sdk: 'webhookEndpoints.list(query)',
    items: webhookEndpoint,
    run: async ({ deps, scope, page }) => shown(await listEndpoints(deps, scope.business, page), endpointView),
  }),

  write('POST /v0/webhook-endpoints', {
    id: 'createWebhookEndpoint',
    summary: 'Create a webhook endpoint',
    sdk: 'webhookEndpoints.create(body)',
    example: { body: () => ({ webhookUrl: 'https://hooks.example.com/in' }) },
    audit: ['webhook_endpoint.created'],
    description: 'The endpoint receives events from now on. A business can have at most 20 endpoints.',
    body: closed({ webhookUrl: webhookUrlText, ...settings }),
    data: endpointWithSecret,
    errors: ['invalid_webhook_url', 'webhook_endpoint_limit_reached'],
    run: ({ deps, scope, body }) => createEndpoint(deps, scope, body),
  }),

  read('GET /v0/webhook-endpoints/:id', {
    id: 'getWebhookEndpoint',
    summary: 'Read a webhook endpoint',
    sdk: 'webhookEndpoints.get(at)',
    data: webhookEndpoint,
    errors: ['webhook_endpoint_not_found'],
    run: ({ deps, scope, params }) => getEndpoint(deps, scope.business, params.id),
  }),

  write('PATCH /v0/webhook-endpoints/:id', {
    id: 'updateWebhookEndpoint',
    summary: 'Update, pause or resume a webhook endpoint',
    sdk: 'webhookEndpoints.update(at, body)',
    example: { body: () => ({ description: 'The ledger' }) },
    audit: ['webhook_endpoint.changed', 'webhook_endpoint.paused', 'webhook_endpoint.enabled'],
    assistant: 'may',
    description:
      'A paused or disabled endpoint keeps its events queued. `"status": "enabled"` sends them, at a gradually increasing rate. New `eventTypes` apply to events from now on; a new `ordering` also applies to queued events.',
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
    run: ({ deps, scope, params, body }) => changeEndpoint(deps, scope, params.id, body),
  }),

  write('DELETE /v0/webhook-endpoints/:id', {
    id: 'deleteWebhookEndpoint',
    summary: 'Delete a webhook endpoint',
    sdk: 'webhookEndpoints.delete(at)',
    audit: ['webhook_endpoint.deleted'],
    description: 'Queued deliveries to the endpoint are canceled. Its events remain, and you can still read them.',
    data: deleted,
    errors: ['webhook_endpoint_not_found'],
    run: ({ deps, scope, params }) => deleteEndpoint(deps, scope, params.id),
  }),

  write('POST /v0/webhook-endpoints/:id/rotate-secret', {
    id: 'rotateWebhookSecret',
    summary: 'Rotate the signing secret of a webhook endpoint',
    sdk: 'webhookEndpoints.rotateSecret(at, body)',
    example: { body: () => ({}) },
    audit: ['webhook_endpoint.secret_rotated'],
    sensitive: true,
    description:
      'Returns a new signing secret. The old secret also signs for `overlapHours`; with 0 it expires immediately. At most two secrets are valid: a second rotation ends the oldest.',
    body: closed({
      overlapHours: Type.Optional(Type.Integer({ minimum: 0, maximum: 168, default: overlapHoursDefault })),
    }),
    data: endpointWithSecret,
    errors: ['webhook_endpoint_not_found'],
    run: ({ deps, scope, params, body: { overlapHours = overlapHoursDefault } }) =>
      rotateSecret(deps, scope, params.id, overlapHours),
  }),

  write('POST /v0/webhook-endpoints/:id/test', {
    id: 'testWebhookEndpoint',
    summary: 'Send a test event to a webhook endpoint',
    sdk: 'webhookEndpoints.test(at, body)',
    example: { body: () => ({}) },
    audit: { none: 'sends an event without content to an address that is already set' },
    assistant: 'may',
    description:
      'Sends `webhook_endpoint.test`, or an example of the given type, to this endpoint only, regardless of its event types. The envelope contains `"test": true`. A paused endpoint receives the event after it is resumed.',
    body: closed({ eventType: Type.Optional(oneOf('BusinessEventType', businessEventTypes)) }),
    data: testSent,
    errors: ['webhook_endpoint_not_found'],
    run: ({ deps, scope, params, body }) => testEndpoint(deps, scope, params.id, body.eventType),
  }),
]
