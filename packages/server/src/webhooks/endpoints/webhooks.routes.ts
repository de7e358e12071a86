// Webhooks: the business's webhook URL, which is its default endpoint, and the public door for the provider's events.

import type { ServerDeps } from '../../app/context.ts'
import { receiveProviderEvent } from '../../events/ingest/ingest.ts'
import type { App } from '../../platform/http/app.ts'
import { rawBodyOf } from '../../platform/http/body/json-body.ts'
import { actorOf } from '../../platform/http/caller.ts'
import { businessOf, depsOf } from '../../platform/http/caller-of-request.ts'
import { providerEventBody } from '../../platform/http/limits.ts'
import { closed, dataOf, idOf, isoTime, nullable, oneOf, responses } from '../../platform/http/schema/schema.ts'
import { Type } from '../../platform/http/schema/type.ts'
import { deleteWebhookUrl, getWebhookUrl, setWebhookUrl } from './webhook-url.ts'

const endpointFields = {
  id: idOf('webhookEndpoint'),
  webhookUrl: Type.String(),
  status: oneOf(['enabled', 'paused', 'disabled']),
  disabledReason: nullable(Type.String()),
  createdAt: isoTime,
  updatedAt: isoTime,
}

export const webhookUrl = Type.Object(
  {
    ...endpointFields,
    signingSecret: Type.Optional(
      Type.String({ description: '`whsec_…`, for checking signatures. Only in the answer that creates the endpoint.' }),
    ),
  },
  { title: 'WebhookUrl' },
)

export const webhookUrlText = Type.String({
  minLength: 1,
  errorCode: 'invalid_webhook_url',
  description: 'Absolute https address of a public host.',
})

export const newWebhookUrl = closed({ webhookUrl: webhookUrlText })

const eventName = Type.String({ minLength: 1, maxLength: 256 })
const providerEvent = Type.Object(
  { event_id: eventName, event_type: eventName },
  {
    title: 'ProviderEvent',
    additionalProperties: true,
    description: 'Further members depend on the type of the event.',
  },
)

const acknowledgement = Type.Object(
  { received: Type.Boolean(), event_id: Type.String(), message: Type.String() },
  { title: 'WebhookAcknowledgement' },
)

export function webhookRoutes(app: App, deps: ServerDeps): void {
  app.put(
    '/v0/webhook-url',
    {
      config: { auth: 'business', scope: 'webhooks:write' },
      schema: {
        operationId: 'setWebhookUrl',
        summary: 'Set the webhook URL',
        description:
          'Where your events go: the default one of your webhook endpoints. A new address keeps the signing secret, the sequence and the events that wait.',
        tags: ['Webhooks'],
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
      config: { auth: 'business', scope: 'webhooks:read' },
      schema: {
        operationId: 'getWebhookUrl',
        summary: 'Read the webhook URL',
        tags: ['Webhooks'],
        response: responses(dataOf(webhookUrl), 'webhook_url_not_set'),
      },
    },
    async (request) => ({ data: await getWebhookUrl(depsOf(request), businessOf(request).id) }),
  )

  app.delete(
    '/v0/webhook-url',
    {
      config: { auth: 'business', scope: 'webhooks:write' },
      schema: {
        operationId: 'deleteWebhookUrl',
        summary: 'Remove the webhook URL',
        description: 'Deliveries to it end, waiting ones included. The events stay and can be read.',
        tags: ['Webhooks'],
        response: responses(dataOf(Type.Object({ deleted: Type.Boolean() })), 'webhook_url_not_set'),
      },
    },
    async (request) => ({ data: await deleteWebhookUrl(depsOf(request), businessOf(request)) }),
  )

  app.post(
    '/v0/webhooks/provider',
    {
      config: { auth: 'none', rawBody: true, bodyLimits: providerEventBody, describedBody: providerEvent },
      schema: {
        operationId: 'receiveProviderWebhook',
        summary: 'Receive an event of the provider',
        description:
          'For the provider only. The body is `{event_id, event_type, …}`; what is acknowledged is stored. `X-Webhook-Signature` is checked over the raw bytes.',
        tags: ['Provider'],
        response: responses(
          dataOf(acknowledgement),
          'invalid_json',
          'json_too_deep',
          'body_required',
          'missing_field',
          'invalid_type',
          'invalid_length',
          'invalid_value',
          'payload_too_large',
          'too_many_members',
          'unsupported_media_type',
          'webhook_signature_stale',
          'webhook_signature_missing',
          'webhook_signature_invalid',
          'database_unavailable',
        ),
      },
    },
    async (request) => {
      const signature = request.headers['x-webhook-signature']
      return {
        data: await receiveProviderEvent(
          deps,
          rawBodyOf(request),
          typeof signature === 'string' ? signature : signature?.join(','),
        ),
      }
    },
  )
}
