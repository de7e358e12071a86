// Events that are held back, for the operator.

import { Type } from 'typebox'
import type { ServerCore } from '../../platform/core.ts'
import { operatorOperations } from '../../platform/http/operation.ts'
import { shown } from '../../platform/http/schema/paging.ts'
import { idOf, isoTime, named, nullable, oneOf } from '../../platform/http/schema/schema.ts'
import { getHeldEvent, heldEventView, heldStates, listHeldEvents, retryHeldEvent } from './held.ts'

const state = oneOf('HeldEventState', heldStates, {
  description:
    '`waiting`: its owner or its account is not known yet, or the provider is away; it is tried again by itself. `quarantined`: it could not be applied and was put aside.',
})

const heldEvent = named('HeldEvent', {
  id: idOf('event'),
  state,
  reason: Type.String({ description: 'Why the last try did not apply it.', examples: ['owner not known yet'] }),
  attempts: Type.Integer({ description: 'Tries that failed; those that only waited do not count.' }),
  nextTryAt: nullable(isoTime),
  type: Type.String({ examples: ['customer.updated'] }),
  trust: Type.String({ description: '`verified` when its signature is, else `unverified`.' }),
  providerEventId: nullable(Type.String()),
  providerRefs: Type.Array(Type.String(), { description: 'Ids of the provider by which its owner is looked for.' }),
  customerId: nullable(idOf('business', { description: 'Null while no business is known to own it.' })),
  externalUserId: nullable(Type.String()),
  createdAt: isoTime,
})

const { read, write, list } = operatorOperations<ServerCore>()

export const heldEventOperations = [
  list('GET /v0/operator/events', {
    id: 'listHeldEvents',
    summary: 'List events that are held back, newest first',
    example: { query: () => ({ limit: 1 }) },
    description: 'Events of the provider that were tried and could not be applied yet. Their bodies are not shown.',
    items: heldEvent,
    filters: { state },
    run: async ({ deps, filter, page }) => shown(await listHeldEvents(deps, filter, page), heldEventView),
  }),

  read('GET /v0/operator/events/:id', {
    id: 'getHeldEvent',
    summary: 'Read an event that is held back',
    data: heldEvent,
    errors: ['event_not_found'],
    run: ({ deps, params }) => getHeldEvent(deps, params.id),
  }),

  write('POST /v0/operator/events/:id/retry', {
    id: 'retryHeldEvent',
    summary: 'Try a held event again',
    audit: { none: 'gives nobody a right: it tries again, sooner, what is tried again anyway' },
    description: 'It is due at once, with all its tries ahead. Once it is applied it is held no more, and reads 404.',
    data: heldEvent,
    errors: ['event_not_found'],
    run: ({ deps, params }) => retryHeldEvent(deps, params.id),
  }),
]
