// Levers for what goes wrong: faults of the emulated provider, and what its webhook inboxes receive and answer.

import { Type } from 'typebox'
import type { App } from '../platform/http/app.ts'
import { awayErrors, businessRoutes, upstreamErrors } from '../platform/http/route.ts'
import { closed, idOf, isoTime, lineOf, named, nullable, oneOf } from '../platform/http/schema/schema.ts'
import { addFault, clearFaults, faultModes, faultRefusals, listFaults } from './faults.ts'
import { configureInbox, listInboxes, messagesShown } from './inboxes.ts'

const faultsMax = 100

const mode = oneOf('SandboxFaultMode', faultModes, {
  description:
    '`status`: answers `status`. `refuse`: answers the provider’s refusal `code`. `delay`: waits `delayMs`, then works. `cut_before`, `cut_after`: breaks the connection before or after the work is done. `unreadable`: does the work, and responds with `body`, or with nothing but the IDs of the objects. `garbage`: answers no JSON. `hang`: never answers.',
})

const fault = named('SandboxFault', {
  id: Type.String(),
  path: Type.String({ description: 'A regular expression over the path at the provider, with `/v0`.' }),
  method: nullable(Type.String({ description: 'Null: any.' })),
  mode,
  status: Type.Integer(),
  delayMs: Type.Integer(),
  timesLeft: Type.Integer({ description: 'How many requests it still applies to.' }),
  hits: Type.Integer({ description: 'How many requests it applied to.' }),
})

const newFault = closed({
  path: lineOf(256, {
    description: 'A regular expression over the path at the provider, with `/v0`.',
    examples: ['^/v0/customers$'],
  }),
  mode,
  method: Type.Optional(oneOf('SandboxFaultMethod', ['GET', 'POST', 'PUT', 'DELETE'])),
  code: Type.Optional(oneOf('SandboxFaultRefusal', faultRefusals, { description: 'Of `refuse`, which needs one.' })),
  status: Type.Optional(Type.Integer({ minimum: 400, maximum: 599, default: 500 })),
  times: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1 })),
  delayMs: Type.Optional(Type.Integer({ minimum: 0, maximum: 600_000, default: 1_000 })),
})

export function faultRoutes(app: App): void {
  const { route } = businessRoutes(app, 'Sandbox', 'virtual_accounts')

  route('GET /v0/sandbox/faults', {
    id: 'listSandboxFaults',
    summary: 'List the faults of the emulated provider',
    data: Type.Array(fault, { maxItems: faultsMax }),
    errors: awayErrors,
    run: ({ deps }) => listFaults(deps),
  })

  route('POST /v0/sandbox/faults', {
    id: 'addSandboxFault',
    summary: 'Make requests to the emulated provider fail',
    description:
      'The next `times` requests that fit fail, for all businesses of this deployment: whatever Causeway sends to the provider, its reconciliation included.',
    body: newFault,
    data: fault,
    errors: ['invalid_value', ...upstreamErrors],
    run: ({ deps, body }) => addFault(deps, body),
  })

  route('DELETE /v0/sandbox/faults', {
    id: 'clearSandboxFaults',
    summary: 'End all faults of the emulated provider',
    data: named('ClearedSandboxFaults', { cleared: Type.Integer({ description: 'How many there were.' }) }),
    errors: awayErrors,
    run: ({ deps }) => clearFaults(deps),
  })
}

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

export function inboxRoutes(app: App): void {
  const { route, list } = businessRoutes(app, 'Sandbox', 'webhooks')

  list('GET /v0/sandbox/inboxes', {
    id: 'listSandboxInboxes',
    summary: 'List the webhook inboxes that endpoints lead to',
    description:
      'An endpoint whose address is `/inbox/<name>` at the emulated provider leads to an inbox, which shows what arrives and answers as it is told. `GET /v0/deliveries/:id` reads a delivery whole.',
    items: inbox,
    errors: awayErrors,
    run: ({ deps, business, page }) => listInboxes(deps, business, page),
  })

  route('PUT /v0/sandbox/inboxes/:id', {
    id: 'configureSandboxInbox',
    summary: 'Set how a webhook inbox answers',
    description: 'What the body leaves out is set back. It counts for every endpoint that leads to the same inbox.',
    body: closed({
      respondWith: Type.Optional(answers.respondWith),
      delayMs: Type.Optional(answers.delayMs),
      failNext: Type.Optional(answers.failNext),
    }),
    data: inbox,
    errors: ['webhook_endpoint_not_found', 'webhook_endpoint_without_inbox', ...upstreamErrors],
    run: ({ deps, business, params, body: { respondWith = 200, delayMs = 0, failNext = 0 } }) =>
      configureInbox(deps, business, params.id, { respondWith, delayMs, failNext }),
  })
}
