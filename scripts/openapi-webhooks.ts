// The events we send, for the `webhooks` part of the OpenAPI document.

import { businessEventTypes } from '../packages/server/src/events/catalogue.rules.ts'
import { businessEventBody, businessEventExample, businessEvents, componentOf } from './business-events.ts'
import { hoistTitled, type JsonRecord, withoutOurWords } from './openapi-schemas.ts'

const headers = [
  'WebhookId',
  'WebhookTimestamp',
  'WebhookSignature',
  'SvcEventType',
  'SvcExternalUserId',
  'SvcSequence',
  'SvcAttempt',
  'SvcVerified',
]

/** @param schemas receives the objects with a title; also contains those of the operations */
export function eventWebhooks(schemas: JsonRecord): JsonRecord {
  return Object.fromEntries(businessEventTypes.map((type) => [type, { post: eventOperation(type, schemas) }]))
}

/** Creates the schema of any Causeway event, with `event_type` as the discriminator. */
export function anyEvent(): JsonRecord {
  const refs = businessEventTypes.map((type) => [type, `#/components/schemas/${componentOf(type)}`] as const)
  return {
    description: 'An event of Causeway. New types may be added at any time.',
    oneOf: refs.map(([, $ref]) => ({ $ref })),
    discriminator: { propertyName: 'event_type', mapping: Object.fromEntries(refs) },
  }
}

function eventOperation(type: (typeof businessEventTypes)[number], schemas: JsonRecord): JsonRecord {
  const body = JSON.parse(JSON.stringify(withoutOurWords(businessEventBody(type))))
  return {
    summary: `The event ${type}`,
    description: `Sent when ${businessEvents[type].when}.\n\nSigned as Standard Webhooks. Delivered at least once: use \`webhook-id\` to ignore duplicates. Respond with 2xx within 15 seconds.`,
    tags: ['Events'],
    security: [],
    parameters: headers.map((name) => ({ $ref: `#/components/parameters/${name}` })),
    requestBody: {
      required: true,
      content: { 'application/json': { schema: hoistTitled(body, schemas), example: businessEventExample(type) } },
    },
    responses: { '2XX': { description: 'Received. Causeway retries after any other response, for three days.' } },
  }
}
