// The events we send, for the `webhooks` part of the OpenAPI document.

import { ownEventTypes } from '../packages/server/src/services/own-events.ts'
import type { JsonRecord } from './openapi-schemas.ts'

/** The object that `data` of an event shows, by the first words of its type. Others are told by their own description. */
const subjects: readonly (readonly [prefix: string, schema: string])[] = [
  ['end_user.', 'EndUser'],
  ['virtual_account.deposit.', 'Deposit'],
  ['virtual_account.payment.', 'Deposit'],
  ['virtual_account.', 'VirtualAccount'],
  ['webhook_endpoint.', 'WebhookEndpoint'],
]

export function eventWebhooks(): JsonRecord {
  return Object.fromEntries(ownEventTypes.map((type) => [type, { post: eventOperation(type) }]))
}

function eventOperation(type: string): JsonRecord {
  const subject = subjects.find(([prefix]) => type.startsWith(prefix))?.[1]
  return {
    summary: `The event ${type}`,
    description:
      'Signed as Standard Webhooks. Delivered at least once: drop what you have by `webhook-id`. Answer 2xx within 15 seconds.',
    tags: ['Events'],
    security: [],
    parameters: ['WebhookId', 'WebhookTimestamp', 'WebhookSignature'].map((name) => ({
      $ref: `#/components/parameters/${name}`,
    })),
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: {
            type: 'object',
            required: ['event_id', 'event_type', 'created_at', 'api_version', 'data'],
            properties: {
              event_id: { type: 'string', examples: ['evt_3k9x0v7c5m2p8q4r6s1t0w9y3z'] },
              event_type: { type: 'string', const: type },
              created_at: { type: 'string', format: 'date-time' },
              api_version: { type: 'string', const: 'v0' },
              data: subject === undefined ? { type: 'object' } : { $ref: `#/components/schemas/${subject}` },
            },
          },
        },
      },
    },
    responses: { '2XX': { description: 'Received. Anything else is tried again for three days.' } },
  }
}
