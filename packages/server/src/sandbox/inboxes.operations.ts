// Webhook inboxes of the emulated provider: what they receive and respond.

import { Type } from 'typebox'
import { operationsOf } from '../platform/http/operation.ts'
import { closed, idOf, isoTime, named, nullable } from '../platform/http/schema/schema.ts'
import { awayErrors, upstreamErrors } from '../platform/http/serve.ts'
import { configureInbox, listInboxes, messagesShown } from './inboxes.ts'
import type { Sandbox } from './ports.ts'
import { isEmulated } from './service.ts'

const answers = {
  respondWith: Type.Integer({
    minimum: 200,
    maximum: 599,
    default: 200,
    description: 'The HTTP status of the response.',
  }),
  delayMs: Type.Integer({
    minimum: 0,
    maximum: 60_000,
    default: 0,
    description: 'The delay before the response. Above `WEBHOOK_TIMEOUT_MS`, it simulates a receiver that times out.',
  }),
  failNext: Type.Integer({
    minimum: 0,
    maximum: 1_000,
    default: 0,
    description: 'Respond with 500 to this many deliveries first.',
  }),
}

const inbox = named('SandboxInbox', {
  id: idOf('webhookEndpoint', { description: 'The endpoint that uses the inbox.' }),
  name: Type.String({ examples: ['orders'] }),
  webhookUrl: Type.String(),
  settings: named('SandboxInboxSettings', answers),
  messages: Type.Array(
    named('SandboxInboxMessage', {
      eventId: idOf('event'),
      deliveryId: idOf('delivery'),
      eventType: nullable(Type.String()),
      externalUserId: nullable(Type.String()),
      attempt: nullable(Type.Integer()),
      receivedAt: isoTime,
      verified: nullable(
        Type.Boolean({
          description: 'Whether the signature is valid; null while the inbox knows no secret to verify with.',
        }),
      ),
      duplicate: Type.Boolean({ description: 'The inbox received this ID before.' }),
      status: nullable(
        Type.Integer({ description: 'The status of the response; null if the sender timed out first.' }),
      ),
    }),
    { maxItems: messagesShown, description: `The newest ${messagesShown} webhooks of the endpoint, newest first.` },
  ),
})

const { write, list } = operationsOf<Sandbox>('Sandbox', 'webhooks')

export const sandboxInboxOperations = [
  list('GET /v0/sandbox/inboxes', {
    id: 'listSandboxInboxes',
    summary: 'List webhook inboxes',
    sdk: 'sandbox.inboxes(query)',
    when: isEmulated,
    description:
      'An endpoint whose URL is `/inbox/<name>` at the sandbox provider is connected to an inbox. The inbox shows received webhooks and responds as configured. `GET /v0/deliveries/:id` returns a complete delivery.',
    items: inbox,
    errors: awayErrors,
    run: ({ deps, scope, page }) => listInboxes(deps, scope.business, page),
  }),

  write('PUT /v0/sandbox/inboxes/:id', {
    id: 'configureSandboxInbox',
    summary: 'Configure the responses of a webhook inbox',
    sdk: 'sandbox.configureInbox(at, body)',
    when: isEmulated,
    example: { body: () => ({}) },
    audit: { none: 'the emulator only' },
    description:
      'A field that you leave out returns to its default. Applies to every endpoint that uses the same inbox.',
    body: closed({
      respondWith: Type.Optional(answers.respondWith),
      delayMs: Type.Optional(answers.delayMs),
      failNext: Type.Optional(answers.failNext),
    }),
    data: inbox,
    errors: ['webhook_endpoint_not_found', 'webhook_endpoint_without_inbox', ...upstreamErrors],
    run: ({ deps, scope, params, body: { respondWith = 200, delayMs = 0, failNext = 0 } }) =>
      configureInbox(deps, scope.business, params.id, { respondWith, delayMs, failNext }),
  }),
]
