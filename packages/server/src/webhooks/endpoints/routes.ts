// The webhook URL of a business, and its webhook endpoints, each with its filter, ordering, secret and sequence.

import { Type } from 'typebox'
import { type App, businessOf, depsOf } from '../../platform/http/app.ts'
import { actorOf } from '../../platform/http/caller.ts'
import { pageRequestOf, sendPage } from '../../platform/http/schema/paging.ts'
import { anyId, closed, dataOf, listQuery, oneOf, pageOf, responses } from '../../platform/http/schema/schema.ts'
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
  getEndpoint,
  listEndpoints,
  rotateSecret,
  testEndpoint,
} from './service.ts'
import { endpointView } from './view.ts'
import { deleteWebhookUrl, getWebhookUrl, setWebhookUrl } from './webhook-url.ts'

const overlapHoursDefault = 24

const byId = closed({ id: anyId })
const read = { auth: 'business', scope: 'webhooks:read' } as const
const write = { auth: 'business', scope: 'webhooks:write' } as const
const tags = ['Webhooks']

export function webhookUrlRoutes(app: App): void {
  app.put(
    '/v0/webhook-url',
    {
      config: write,
      schema: {
        operationId: 'setWebhookUrl',
        summary: 'Set the webhook URL',
        description:
          'Where your events go: the default one of your webhook endpoints. A new address keeps the signing secret, the sequence and the events that wait.',
        tags,
        body: newWebhookUrl,
        response: responses(dataOf(webhookUrl), 'invalid_webhook_url', 'webhook_endpoint_limit_reached'),
      },
    },
    async (request) => {
      const business = businessOf(request)
      return { data: await setWebhookUrl(depsOf(request), business.id, request.body.webhookUrl, actorOf(business)) }
    },
  )

  app.get(
    '/v0/webhook-url',
    {
      config: read,
      schema: {
        operationId: 'getWebhookUrl',
        summary: 'Read the webhook URL',
        tags,
        response: responses(dataOf(webhookUrl), 'webhook_url_not_set'),
      },
    },
    async (request) => ({ data: await getWebhookUrl(depsOf(request), businessOf(request).id) }),
  )

  app.delete(
    '/v0/webhook-url',
    {
      config: write,
      schema: {
        operationId: 'deleteWebhookUrl',
        summary: 'Remove the webhook URL',
        description: 'Deliveries to it end, waiting ones included. The events stay and can be read.',
        tags,
        response: responses(dataOf(Type.Object({ deleted: Type.Boolean() })), 'webhook_url_not_set'),
      },
    },
    async (request) => ({ data: await deleteWebhookUrl(depsOf(request), businessOf(request)) }),
  )
}

export function webhookEndpointRoutes(app: App): void {
  app.get(
    '/v0/webhook-endpoints',
    {
      config: read,
      schema: {
        operationId: 'listWebhookEndpoints',
        summary: 'List webhook endpoints, newest first',
        tags,
        querystring: listQuery({}),
        response: responses(pageOf(webhookEndpoint)),
      },
    },
    async (request, reply) => {
      const page = await listEndpoints(depsOf(request), businessOf(request), pageRequestOf(request.query))
      return sendPage(reply, { ...page, items: page.items.map(endpointView) })
    },
  )

  app.post(
    '/v0/webhook-endpoints',
    {
      config: write,
      schema: {
        operationId: 'createWebhookEndpoint',
        summary: 'Create a webhook endpoint',
        description: 'It gets what happens from now on. A business has at most 20.',
        tags,
        body: closed({ webhookUrl: webhookUrlText, ...settings }),
        response: responses(dataOf(endpointWithSecret), 'invalid_webhook_url', 'webhook_endpoint_limit_reached'),
      },
    },
    async (request) => ({ data: await createEndpoint(depsOf(request), businessOf(request), request.body) }),
  )

  app.get(
    '/v0/webhook-endpoints/:id',
    {
      config: read,
      schema: {
        operationId: 'getWebhookEndpoint',
        summary: 'Read a webhook endpoint',
        tags,
        params: byId,
        response: responses(dataOf(webhookEndpoint), 'webhook_endpoint_not_found'),
      },
    },
    async (request) => ({ data: await getEndpoint(depsOf(request), businessOf(request), request.params.id) }),
  )

  app.patch(
    '/v0/webhook-endpoints/:id',
    {
      config: write,
      schema: {
        operationId: 'updateWebhookEndpoint',
        summary: 'Change, pause or resume a webhook endpoint',
        description:
          'A paused or disabled endpoint keeps its events; `"status": "enabled"` sends them on, at a rate that grows. Other `eventTypes` count for events from now on, another `ordering` for those that wait as well.',
        tags,
        params: byId,
        body: closed(
          {
            webhookUrl: Type.Optional(webhookUrlText),
            ...settings,
            status: Type.Optional(oneOf(['enabled', 'paused'])),
          },
          { minProperties: 1 },
        ),
        response: responses(dataOf(webhookEndpoint), 'invalid_webhook_url', 'webhook_endpoint_not_found'),
      },
    },
    async (request) => ({
      data: await changeEndpoint(depsOf(request), businessOf(request), request.params.id, request.body),
    }),
  )

  app.delete(
    '/v0/webhook-endpoints/:id',
    {
      config: write,
      schema: {
        operationId: 'deleteWebhookEndpoint',
        summary: 'Delete a webhook endpoint',
        description: 'Deliveries to it end; waiting ones are cancelled. The events stay and can be read.',
        tags,
        params: byId,
        response: responses(dataOf(Type.Object({ deleted: Type.Boolean() })), 'webhook_endpoint_not_found'),
      },
    },
    async (request) => ({ data: await deleteEndpoint(depsOf(request), businessOf(request), request.params.id) }),
  )

  app.post(
    '/v0/webhook-endpoints/:id/rotate-secret',
    {
      config: write,
      schema: {
        operationId: 'rotateWebhookSecret',
        summary: 'Replace the signing secret of a webhook endpoint',
        description:
          'Answers a new secret. The old one signs beside it for `overlapHours`; 0 ends it now. At most two sign: a second rotation ends the oldest.',
        tags,
        params: byId,
        body: Type.Optional(
          closed({
            overlapHours: Type.Optional(Type.Integer({ minimum: 0, maximum: 168, default: overlapHoursDefault })),
          }),
        ),
        response: responses(dataOf(endpointWithSecret), 'webhook_endpoint_not_found'),
      },
    },
    async (request) => {
      const { overlapHours = overlapHoursDefault } = request.body ?? {}
      return { data: await rotateSecret(depsOf(request), businessOf(request), request.params.id, overlapHours) }
    },
  )

  app.post(
    '/v0/webhook-endpoints/:id/test',
    {
      config: write,
      schema: {
        operationId: 'testWebhookEndpoint',
        summary: 'Send a test event to a webhook endpoint',
        description:
          'An event `webhook_endpoint.test` to this endpoint alone, whatever it subscribed to. A paused one keeps it until it goes on.',
        tags,
        params: byId,
        response: responses(dataOf(testSent), 'webhook_endpoint_not_found'),
      },
    },
    async (request) => ({ data: await testEndpoint(depsOf(request), businessOf(request), request.params.id) }),
  )
}
