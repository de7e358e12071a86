// Queries and writes of endpoints and replays.

import type { Body, StatsInterval, WebhookEndpoint } from '@causeway/sdk'
import { queryOptions } from '@tanstack/react-query'
import { causeway, queryClient } from '../../session/client.ts'

export const endpointQuery = (id: string) =>
  queryOptions({
    queryKey: ['endpoints', 'one', id],
    queryFn: ({ signal }) => causeway.webhookEndpoints.get(id, { signal }),
  })

export const healthRanges = ['24h', '7d', '30d'] as const
export type HealthRange = (typeof healthRanges)[number]

const hourMs = 3_600_000
export const spans: Readonly<Record<HealthRange, { interval: StatsInterval; ms: number; words: string }>> = {
  '24h': { interval: 'hour', ms: 24 * hourMs, words: '24 hours' },
  '7d': { interval: 'hour', ms: 7 * 24 * hourMs, words: '7 days' },
  '30d': { interval: 'day', ms: 30 * 24 * hourMs, words: '30 days' },
}

const statsMs = 15_000

/** Refetches on an interval instead of on events: attempts send no event, and every event would trigger a refetch. */
export const healthQuery = (range: HealthRange) =>
  queryOptions({
    queryKey: ['health', range],
    queryFn: ({ signal }) => {
      const { interval, ms } = spans[range]
      const from = new Date(Date.now() - ms).toISOString()
      return causeway.stats({ interval, from }, { signal })
    },
    refetchInterval: statsMs,
  })

/** Replaces the cached endpoint with the response to a write. */
function keep(endpoint: WebhookEndpoint): WebhookEndpoint {
  queryClient.setQueryData(endpointQuery(endpoint.id).queryKey, endpoint)
  void queryClient.invalidateQueries({ queryKey: ['endpoints', 'list'] })
  return endpoint
}

export async function createEndpoint(body: Body<'createWebhookEndpoint'>) {
  const made = await causeway.webhookEndpoints.create(body)
  const { signingSecret: _, ...endpoint } = made
  keep(endpoint)
  return made
}

export async function changeEndpoint(id: string, body: Body<'updateWebhookEndpoint'>): Promise<WebhookEndpoint> {
  return keep(await causeway.webhookEndpoints.update(id, body))
}

/** @returns the new secret, which must not stay in the cache */
export async function rotateSecret(id: string, overlapHours: number): Promise<string> {
  const { signingSecret, ...endpoint } = await causeway.webhookEndpoints.rotateSecret(id, { overlapHours })
  keep(endpoint)
  return signingSecret
}

export async function deleteEndpoint(id: string): Promise<void> {
  await causeway.webhookEndpoints.delete(id)
  queryClient.removeQueries({ queryKey: endpointQuery(id).queryKey })
  await queryClient.invalidateQueries({ queryKey: ['endpoints', 'list'] })
}

export const replaysQuery = (endpointId: string) =>
  queryOptions({
    queryKey: ['replays', 'list', endpointId],
    queryFn: async ({ signal }) => (await causeway.webhookEndpoints.replays(endpointId, { limit: 5 }, { signal })).data,
  })

const progressMs = 700

export const replayQuery = (id: string) =>
  queryOptions({
    queryKey: ['replays', 'one', id],
    queryFn: ({ signal }) => causeway.webhookEndpoints.getReplay(id, { signal }),
    refetchInterval: ({ state }) => (state.data?.state === 'running' ? progressMs : false),
  })

export async function startReplay(endpointId: string, body: Body<'startReplay'>) {
  const replay = await causeway.webhookEndpoints.replay(endpointId, body)
  queryClient.setQueryData(replayQuery(replay.id).queryKey, replay)
  void queryClient.invalidateQueries({ queryKey: ['replays', 'list'] })
  return replay
}

export async function cancelReplay(id: string) {
  const replay = await causeway.webhookEndpoints.cancelReplay(id)
  queryClient.setQueryData(replayQuery(id).queryKey, replay)
  void queryClient.invalidateQueries({ queryKey: ['replays', 'list'] })
}
