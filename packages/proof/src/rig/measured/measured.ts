// Latency during abuse: windows of equal length, calm and abused in turn, and their medians. Machines are shared, so a single
// window proves little.

import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from '../databases/database.ts'
import type { Business, World } from '../world.ts'

export type Window = {
  p99Ms: number
  samples: number
  /** Requests or deliveries of the victim that had no success in time. */
  missing: number
  /** Requests of the abuser in this window. */
  attacks: number
}
export type Pair = { calm: Window; abused: Window }
export type PairFigures = { calmP99Ms: number; abusedP99Ms: number; ratio: number }
export type Pace = { perSecond: number; seconds: number }

/** A smaller difference is the scheduler's, and a calm p99 below it counts as it. */
const noiseMs = 5
const answerMsMax = 10_000
const arriveMsMax = 20_000
const warmUpSeconds = 5

/** The first seconds of a path are slower than all that follow, so a short window of each kind comes first. */
export async function measurePairs(
  measure: (isAbused: boolean, seconds: number) => Promise<Window>,
  { rounds, seconds, log }: { rounds: number; seconds: number; log(line: string): void },
): Promise<Pair[]> {
  for (const isAbused of [false, true]) await measure(isAbused, warmUpSeconds)
  const pairs: Pair[] = []
  for (let round = 1; round <= rounds; round++) {
    const pair = { calm: await measure(false, seconds), abused: await measure(true, seconds) }
    pairs.push(pair)
    log(JSON.stringify({ round, ...pair }))
  }
  return pairs
}

/** @param ratioMax of the abused p99 to the calm one, by the median of the pairs */
export function judgePairs(
  name: string,
  pairs: readonly Pair[],
  ratioMax: number,
): { figures: PairFigures; faults: string[] } {
  const calmMs = median(pairs.map(({ calm }) => calm.p99Ms))
  const abusedMs = median(pairs.map(({ abused }) => abused.p99Ms))
  const ratio = median(pairs.map(({ calm, abused }) => abused.p99Ms / Math.max(calm.p99Ms, noiseMs)))
  const windows = pairs.flatMap(({ calm, abused }) => [calm, abused])
  const missing = windows.reduce((sum, window) => sum + window.missing, 0)
  const figures = { calmP99Ms: round(calmMs), abusedP99Ms: round(abusedMs), ratio: round(ratio) }
  const faults: string[] = []
  if (!(ratio < ratioMax) && !(abusedMs - calmMs <= noiseMs))
    faults.push(`the victim's p99 is ${figures.ratio} times that of a calm window, ${figures.abusedP99Ms} ms`)
  if (missing > 0) faults.push(`${missing} of the victim's requests or deliveries had no success`)
  if (windows.length === 0 || windows.some(({ samples }) => samples === 0)) faults.push('a window has no samples')
  if (pairs.some(({ abused }) => abused.attacks === 0)) faults.push('nothing was attacked, so nothing is proven')
  return { figures, faults: faults.map((fault) => `${name}: ${fault}`) }
}

/** Reads of the victim at a steady pace. */
export async function measureReads(
  { send }: Pick<World<Database>, 'send'>,
  { apiKey }: Pick<Business, 'apiKey'>,
  pace: Pace,
): Promise<Omit<Window, 'attacks'>> {
  const call = { method: 'GET', path: '/v0/end-users', headers: { authorization: `Bearer ${apiKey}` } }
  const took: number[] = []
  let missing = 0
  await atPace(pace, async () => {
    const sentMs = nowMs()
    const { status } = await send(call, answerMsMax)
    took.push(nowMs() - sentMs)
    if (status !== 200) missing += 1
  })
  return { p99Ms: p99Of(took), samples: took.length, missing }
}

/** An end-user, and the names of the endpoints whose receivers are healthy. */
export type Victim = { endUser: string; endpoints: readonly string[] }

/** Signed events at a steady pace: how long each took from the acknowledgement to its receivers. */
export async function measureDeliveries(
  { provider, attempts }: Pick<World<Database>, 'provider' | 'attempts'>,
  victims: readonly Victim[],
  pace: Pace,
): Promise<Omit<Window, 'attacks'>> {
  const from = attempts.length
  const acknowledgedMs = new Map<string, number>()
  const due: string[] = []
  await atPace(pace, async (at) => {
    const { endUser, endpoints } = victims[at % victims.length] ?? { endUser: '', endpoints: [] }
    const eventId = `wh_measured_${randomUUID()}`
    due.push(...endpoints.map((endpoint) => `${endpoint} ${eventId}`))
    const event = { event_id: eventId, event_type: 'test.happened', external_user_id: endUser }
    const { status } = await provider.post(JSON.stringify(event), answerMsMax)
    if (status === 200) acknowledgedMs.set(eventId, nowMs())
  })
  const deadline = nowMs() + arriveMsMax
  for (;;) {
    const took = new Map<string, number>()
    for (const { endpoint, eventId, atMs, accepted, isVerified } of attempts.slice(from)) {
      const atOwnMs = acknowledgedMs.get(eventId)
      // It may arrive before the response to the provider was read.
      if (atOwnMs !== undefined && accepted && isVerified && !took.has(`${endpoint} ${eventId}`))
        took.set(`${endpoint} ${eventId}`, Math.max(0, atMs - atOwnMs))
    }
    const arrived = due.flatMap((one) => took.get(one) ?? [])
    if (arrived.length === due.length || nowMs() > deadline)
      return { p99Ms: p99Of(arrived), samples: arrived.length, missing: due.length - arrived.length }
    await delay(100)
  }
}

/** Begins calls at a steady pace and waits for none of them before the next. */
async function atPace({ perSecond, seconds }: Pace, call: (at: number) => Promise<void>): Promise<void> {
  const startedMs = nowMs()
  const calls = Array.from({ length: seconds * perSecond }, async (_, at) => {
    await delay(Math.max(0, startedMs + (at * 1_000) / perSecond - nowMs()))
    await call(at)
  })
  await Promise.all(calls)
}

/** @throws Error when the response is not a success */
export async function changeEndpoint(
  { send }: Pick<World<Database>, 'send'>,
  { apiKey }: Business,
  id: string,
  status: 'paused' | 'enabled' | 'deleted',
): Promise<void> {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  const path = `/v0/webhook-endpoints/${id}`
  const sent = await send(
    status === 'deleted'
      ? { method: 'DELETE', path, headers: { authorization: headers.authorization } }
      : { method: 'PATCH', path, headers, body: JSON.stringify({ status }) },
    answerMsMax,
  )
  if (sent.status === null || sent.status >= 300) throw new Error(`${path} was answered ${sent.status}: ${sent.text}`)
}

function p99Of(tookMs: readonly number[]): number {
  const sorted = tookMs.toSorted((one, other) => one - other)
  return round(sorted[Math.min(sorted.length - 1, Math.floor(0.99 * sorted.length))] ?? 0)
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  const [low, high] = [sorted[Math.ceil(sorted.length / 2) - 1] ?? 0, sorted[Math.floor(sorted.length / 2)] ?? 0]
  return (low + high) / 2
}

const round = (value: number): number => Math.round(value * 100) / 100

/** Milliseconds since 1970 by a clock that nobody sets, as the receivers read it. */
function nowMs(): number {
  return performance.timeOrigin + performance.now()
}
