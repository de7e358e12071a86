// Webhook inboxes of the emulated provider: what they receive and respond.

import { Type } from 'typebox'
import { operationsOf } from '../platform/http/operation.ts'
import { closed, idOf, isoTime, named, nullable } from '../platform/http/schema/schema.ts'
import { awayErrors, upstreamErrors } from '../platform/http/serve.ts'
import { configureInbox, listInboxes, messagesShown } from './inboxes.ts'
import type { Sandbox } from './ports.ts'
import { isEmulated } from './service.ts'

const answers = {
  respondWith: Type.Integer({ minimum: 200, maximum: 599, default: 200, description: 'The status of the answer.' }),
  delayMs: Type.Integer({
    minimum: 0,
    maximum: 60_000,
    default: 0,
    description: 'The wait before it: above `WEBHOOK_TIMEOUT_MS` a receiver that times out.',
  }),
  failNext: Type.Integer({
    minimum: 0,
    maximum: 1_000,
    default: 0,
    description: 'So many deliveries are answered with 500 first.',
  }),
}

const inbox = named('SandboxInbox', {
  id: idOf('webhookEndpoint', { description: 'The endpoint that leads to the inbox.' }),
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
        Type.Boolean({ description: 'Whether its signature holds; null while the inbox knows no secret to check by.' }),
      ),
      duplicate: Type.Boolean({ description: 'It was taken before under the same id.' }),
      status: nullable(
        Type.Integer({ description: 'What it was answered with; null where the sender gave up before.' }),
      ),
    }),
    { maxItems: messagesShown, description: `The newest ${messagesShown} of the endpoint, the newest first.` },
  ),
})

const { write, list } = operationsOf<Sandbox>('Sandbox', 'webhooks')

export const sandboxInboxOperations = [
  list('GET /v0/sandbox/inboxes', {
    id: 'listSandboxInboxes',
    summary: 'List the webhook inboxes that endpoints lead to',
    sdk: 'sandbox.inboxes(query)',
    when: isEmulated,
    description:
      'An endpoint whose address is `/inbox/<name>` at the emulated provider leads to an inbox, which shows what arrives and answers as it is told. `GET /v0/deliveries/:id` reads a delivery whole.',
    items: inbox,
    errors: awayErrors,
    run: ({ deps, scope, page }) => listInboxes(deps, scope.business, page),
  }),

  write('PUT /v0/sandbox/inboxes/:id', {
    id: 'configureSandboxInbox',
    summary: 'Set how a webhook inbox answers',
    sdk: 'sandbox.configureInbox(at, body)',
    when: isEmulated,
    example: { body: () => ({}) },
    audit: { none: 'the emulator only' },
    description: 'What the body leaves out is set back. It counts for every endpoint that leads to the same inbox.',
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
