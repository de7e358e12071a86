// Held events, for the operator.

import { Type } from 'typebox'
import type { ServerCore } from '../../platform/core.ts'
import { operatorOperations } from '../../platform/http/operation.ts'
import { shown } from '../../platform/http/schema/paging.ts'
import { idOf, isoTime, named, nullable, oneOf } from '../../platform/http/schema/schema.ts'
import { getHeldEvent, heldEventView, heldStates, listHeldEvents, retryHeldEvent } from './held.ts'

const state = oneOf('HeldEventState', heldStates, {
  description:
    '`waiting`: the event’s owner or account is not known yet, or the provider is unavailable; Causeway retries automatically. `quarantined`: the event could not be applied, and Causeway no longer retries it.',
})

const heldEvent = named('HeldEvent', {
  id: idOf('event'),
  state,
  reason: Type.String({
    description: 'Why the last attempt did not apply the event.',
    examples: ['owner not known yet'],
  }),
  attempts: Type.Integer({
    description: 'Failed attempts to apply the event; attempts that only waited do not count.',
  }),
  nextTryAt: nullable(isoTime),
  type: Type.String({ examples: ['customer.updated'] }),
  trust: Type.String({ description: '`verified` if the signature of the event is valid, else `unverified`.' }),
  providerEventId: nullable(Type.String()),
  providerRefs: Type.Array(Type.String(), { description: 'Provider IDs that identify the owner.' }),
  customerId: nullable(idOf('business', { description: 'Null while the owner is not known.' })),
  externalUserId: nullable(Type.String()),
  createdAt: isoTime,
})

const { read, write, list } = operatorOperations<ServerCore>()

export const heldEventOperations = [
  list('GET /v0/operator/events', {
    id: 'listHeldEvents',
    summary: 'List held events, newest first',
    example: { query: () => ({ limit: 1 }) },
    description: 'Provider events that Causeway could not apply yet. Their bodies are not shown.',
    items: heldEvent,
    filters: { state },
    run: async ({ deps, filter, page }) => shown(await listHeldEvents(deps, filter, page), heldEventView),
  }),

  read('GET /v0/operator/events/:id', {
    id: 'getHeldEvent',
    summary: 'Read a held event',
    data: heldEvent,
    errors: ['event_not_found'],
    run: ({ deps, params }) => getHeldEvent(deps, params.id),
  }),

  write('POST /v0/operator/events/:id/retry', {
    id: 'retryHeldEvent',
    summary: 'Retry a held event',
    audit: { none: 'gives nobody a right: it tries again, sooner, what is tried again anyway' },
    description:
      'The event is due immediately, with all its retries available. After it is applied, it is no longer held, and reading it returns 404.',
    data: heldEvent,
    errors: ['event_not_found'],
    run: ({ deps, params }) => retryHeldEvent(deps, params.id),
  }),
]
