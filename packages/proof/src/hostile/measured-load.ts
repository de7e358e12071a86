// Signed events at a steady rate, and how long each took from our acknowledgement to its receivers.

import { setTimeout as delay } from 'node:timers/promises'
import type { ProviderSigner } from '../../../server/test/provider-signer.ts'
import { post } from '../relay-world/provider-post.ts'
import type { Arrival } from './healthy-receiver.ts'
import { hostMs } from './host-clock.ts'

export type Planned = {
  eventId: string
  body: string /** Endpoints whose receivers are healthy. */
  to: readonly string[]
}

export type Latencies = { samples: number; missing: number; p50Ms: number; p90Ms: number; p99Ms: number }

const arriveMsMax = 20_000

/**
 * Sends at its own pace and does not wait for answers.
 * @param arrivals grows meanwhile
 * @throws Error when an event is not acknowledged
 */
export async function measureLoad(
  { signer, baseUrl, perSecond }: { signer: ProviderSigner; baseUrl: string; perSecond: number },
  events: readonly Planned[],
  arrivals: readonly Arrival[],
): Promise<Latencies> {
  const acknowledgedMs = new Map<string, number>()
  const startedMs = hostMs()
  const posts = events.map(async ({ eventId, body }, index) => {
    await delay(Math.max(0, startedMs + (index * 1_000) / perSecond - hostMs()))
    if (!(await post(signer, baseUrl, body))) throw new Error('an event was not acknowledged')
    acknowledgedMs.set(eventId, hostMs())
  })
  await Promise.all(posts)
  const expected = events.reduce((sum, { to }) => sum + to.length, 0)
  const deadline = hostMs() + arriveMsMax
  while (hostMs() < deadline) {
    const tookMs = latenciesOf(events, arrivals, acknowledgedMs)
    if (tookMs.length === expected) return { ...summary(tookMs), missing: 0 }
    await delay(100)
  }
  const tookMs = latenciesOf(events, arrivals, acknowledgedMs)
  return { ...summary(tookMs), missing: expected - tookMs.length }
}

/** Of each event at each of its healthy endpoints that it has reached. */
function latenciesOf(
  events: readonly Planned[],
  arrivals: readonly Arrival[],
  acknowledgedMs: ReadonlyMap<string, number>,
): number[] {
  const first = new Map<string, number>()
  for (const { to, eventId, atMs } of arrivals) {
    const key = `${to} ${eventId}`
    if (!first.has(key)) first.set(key, atMs)
  }
  return events.flatMap(({ eventId, to }) =>
    to.flatMap((name) => {
      const atMs = first.get(`${name} ${eventId}`)
      // It may arrive before our answer to the provider was read.
      return atMs === undefined ? [] : Math.max(0, atMs - (acknowledgedMs.get(eventId) ?? atMs))
    }),
  )
}

function summary(tookMs: readonly number[]): Omit<Latencies, 'missing'> {
  const sorted = tookMs.toSorted((a, b) => a - b)
  const quantile = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0
  return { samples: sorted.length, p50Ms: quantile(0.5), p90Ms: quantile(0.9), p99Ms: quantile(0.99) }
}
