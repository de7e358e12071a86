// Replays of a range of events to one endpoint, as a job.

import type { Core } from '../../platform/core.ts'
import { operationsOf } from '../../platform/http/operation.ts'
import { shown } from '../../platform/http/schema/paging.ts'
import { newReplay, replay } from './schema.ts'
import { cancelReplay, getReplay, listReplays, replayView, startReplay } from './service.ts'

const { read, write, list } = operationsOf<Core>('Webhooks', 'webhooks')

export const replayOperations = [
  write('POST /v0/webhook-endpoints/:id/replay', {
    id: 'startReplay',
    summary: 'Replay a range of events to an endpoint',
    sdk: 'webhookEndpoints.replay(at, body)',
    example: { body: () => ({ from: '2026-01-01T00:00:00Z', to: '2026-01-31T00:00:00Z' }) },
    audit: { none: 'sends to the same address what was sent before; the replay itself is kept' },
    sensitive: true,
    assistant: 'may',
    description:
      'The replay runs in the background and sends events in their original order. New events continue to be delivered. Each endpoint runs one replay at a time.',
    body: newReplay,
    data: replay,
    errors: ['webhook_endpoint_not_found', 'replay_in_progress'],
    run: ({ deps, scope, params, body: { eventTypes = null, sources = null, status = 'undelivered', ...range } }) =>
      startReplay(deps, scope, params.id, { ...range, eventTypes, sources, status }),
  }),

  list('GET /v0/webhook-endpoints/:id/replays', {
    id: 'listReplays',
    summary: 'List the replays of an endpoint',
    sdk: 'webhookEndpoints.replays(at, query)',
    description: 'The running replay and the last 100 that have ended.',
    items: replay,
    errors: ['webhook_endpoint_not_found'],
    run: async ({ deps, scope, params, page }) =>
      shown(await listReplays(deps, scope.business, params.id, page), replayView),
  }),

  read('GET /v0/replays/:id', {
    id: 'getReplay',
    summary: 'Read a replay and its progress',
    sdk: 'webhookEndpoints.getReplay(at)',
    data: replay,
    errors: ['replay_not_found'],
    run: ({ deps, scope, params }) => getReplay(deps, scope.business, params.id),
  }),

  write('POST /v0/replays/:id/cancel', {
    id: 'cancelReplay',
    summary: 'Cancel a replay',
    sdk: 'webhookEndpoints.cancelReplay(at)',
    audit: { none: 'ends a replay, which is kept with its end' },
    assistant: 'may',
    description:
      'No more events are queued; events that are already queued are still sent. A replay that has ended does not change.',
    data: replay,
    errors: ['replay_not_found'],
    run: ({ deps, scope, params }) => cancelReplay(deps, scope, params.id),
  }),
]
