// Calls of one key at an even pace, by turns at all replicas, above its limit. And what a phase of them may show.

import { setTimeout as delay } from 'node:timers/promises'

/** @property status null: no response */
export type Call = { status: number | null; tookMs: number }

/** The counters that decide in a phase. `either`: during a failover, first each replica's own and then the shared ones. */
export type Counting = 'shared' | 'own' | 'either'

export type Quota = { requests: number; windowSeconds: number; replicas: number }

export type Phase = {
  name: string
  counting: Counting
  passed: number
  /** The number of calls that can pass in the windows of the phase. */
  least: number
  most: number
  /** Responses that are neither the result nor a 429. */
  otherAnswers: number
  /** Refused although nobody's counter can have been used up. */
  refusedEarly: number
  p95Ms: number
  slowestMs: number
}

/** A phase is so many windows long. */
export const windowsPerPhase = 2
const fairness = 0.05
/** A call waits so long for Redis; the rest is the machine's. */
const p95MsMax = 75
const slowestMsMax = 1_000

/** Ends a little before its last window, so that no third one begins. */
export async function callFor(
  send: () => Promise<{ status: number | null }>,
  { perSecond, seconds }: { perSecond: number; seconds: number },
): Promise<Call[]> {
  const calls: Promise<Call>[] = []
  const beganAt = performance.now()
  const total = Math.floor((seconds - 0.4) * perSecond)
  const callOnce = async (): Promise<Call> => {
    const sentAt = performance.now()
    const { status } = await send()
    return { status, tookMs: Math.round(performance.now() - sentAt) }
  }
  for (let place = 0; place < total; place++) {
    await delay(Math.max(0, beganAt + (place * 1_000) / perSecond - performance.now()))
    calls.push(callOnce())
  }
  return await Promise.all(calls)
}

/** @param calls of a key that nobody used before, in the order in which they began */
export function phaseOf(name: string, counting: Counting, calls: readonly Call[], quota: Quota): Phase {
  const shared = quota.requests * windowsPerPhase
  const own = shared * quota.replicas
  const times = calls.map(({ tookMs }) => tookMs).sort((a, b) => a - b)
  return {
    name,
    counting,
    passed: calls.filter(({ status }) => status === 200).length,
    least: Math.floor((counting === 'own' ? own : shared) * (1 - fairness)),
    most: Math.ceil((counting === 'shared' ? shared : own) * (1 + fairness)),
    otherAnswers: calls.filter(({ status }) => status !== 200 && status !== 429).length,
    refusedEarly: calls.slice(0, quota.requests).filter(({ status }) => status === 429).length,
    p95Ms: times[Math.floor(times.length * 0.95)] ?? 0,
    slowestMs: times.at(-1) ?? 0,
  }
}

export function faultsOfPhase(phase: Phase): string[] {
  const { name, passed, least, most, otherAnswers, refusedEarly, p95Ms, slowestMs } = phase
  const faults: string[] = []
  if (passed < least || passed > most) faults.push(`${passed} calls passed, ${least} to ${most} may`)
  if (otherAnswers > 0) faults.push(`${otherAnswers} calls were answered otherwise than by 200 and 429`)
  if (refusedEarly > 0) faults.push(`${refusedEarly} calls were refused below the limit`)
  if (p95Ms > p95MsMax) faults.push(`one call in twenty took over ${p95Ms} ms`)
  if (slowestMs > slowestMsMax) faults.push(`a call took ${slowestMs} ms`)
  return faults.map((fault) => `${name}: ${fault}`)
}
