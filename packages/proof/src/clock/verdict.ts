// What a run with stepped clocks may show: refusals that the clock explains, and nothing else. Pure.

import type { Heard } from '../chaos/caller.ts'
import { firstAfterMs, isAcknowledged, isFit } from '../fleet/answers.ts'
import { type FleetJudgement, faultsOf } from '../fleet/judge.ts'
import type { Attempt } from './forgetful-receiver.ts'

/** @property offset of the clock from then on, in seconds */
export type Step = { whose: 'replica' | 'database'; offset: number; atMs: number }

export type Hold = {
  whose: Step['whose']
  lastedMs: number
  /** From planting until the expired key and the expired link were both swept; null if that took longer than `sweepMsMax`. */
  sweptAfterMs: readonly (number | null)[]
  /** How many looks found fewer writers noted than servers running. */
  lapsedNotes: number
  longestDeliveryGapMs: number
}

/** A server sweeps once a minute, and may be busy. */
export const sweepMsMax = 90_000

export type ClockRun = {
  steps: readonly Step[]
  heard: readonly Heard[]
  attempts: readonly Attempt[]
  /** Each time a clock stayed behind. */
  holds: readonly Hold[]
  judged: FleetJudgement
}

export type ClockFigures = Omit<FleetJudgement, 'examples'> & {
  /** Events that the replica with the wrong clock refused as too old or too new. The provider repeats them. */
  refusedAsStale: number
  /** Answers 401 and 403: an API key ends by no clock but its own date. */
  refusedKeys: number
  /** After each step, until an event, a write and a read were answered again. */
  answeredAfterMs: readonly (number | null)[]
  /** Deliveries whose first attempt was refused, and whose second never came. */
  retriesMissing: number
  /** Between the first attempt and the second; 5 s are asked for. */
  slowestRetryMs: number
  quickestRetryMs: number
  /** Of retries that a step of the database's clock has met: as much later as it was put back, or at once. */
  slowestRetryOverStepMs: number
  /** Seconds by which signed times differ from the time of day. */
  signedOffSeconds: { least: number; most: number }
  holds: readonly Hold[]
}

/** Asked for are 5 s, spread by a fifth, and a process may be busy. */
const retryMs = { min: 3_500, max: 30_000 }
/** So often a lane reads its retries from the beginning, also those that a clock which was put back has placed there. */
const frontMs = 60_000
const answeredMsMax = 5_000
/** After a step of the database a replica still uses the new time for what it had begun. */
const staleMs = 1_000
/** While a clock is behind. */
const deliveryGapMsMax = 15_000
/** What was under way at two endpoints when the leases ran out all at once, at each of three steps forward. */
const duplicatesMax = 384

export function clockFiguresOf({ steps, heard, attempts, holds, judged }: ClockRun): ClockFigures {
  const { examples: _, ...figures } = judged
  const unfit = heard.filter((answer) => answer.status !== null && !isFit(answer))
  const stale = unfit.filter((answer) => isStale(answer) && isReplicaOff(steps, answer.atMs))
  const waits = retryWaits(attempts)
  const isOverStep = ({ fromMs, toMs }: Wait): boolean =>
    steps.some(({ whose, atMs }) => whose === 'database' && atMs > fromMs - frontMs && atMs < (toMs ?? atMs + 1))
  const overStep = waits.filter(isOverStep)
  const ordinary = waits.filter((wait) => !isOverStep(wait)).map(lengthOf)
  const signedOff = attempts.map(({ atMs, signedAtMs }) => Math.round((signedAtMs - atMs) / 1_000))
  return {
    ...figures,
    unfitAnswers: unfit.length - stale.length,
    refusedAsStale: stale.length,
    refusedKeys: heard.filter(({ status }) => status === 401 || status === 403).length,
    answeredAfterMs: steps.map(({ atMs }) => answeredAfterMs(heard, atMs)),
    retriesMissing: waits.filter(({ toMs }) => toMs === null).length,
    slowestRetryMs: Math.max(0, ...ordinary),
    quickestRetryMs: Math.min(...ordinary),
    slowestRetryOverStepMs: Math.max(0, ...overStep.map(lengthOf)),
    signedOffSeconds: { least: Math.min(0, ...signedOff), most: Math.max(0, ...signedOff) },
    holds,
  }
}

/** @param step to and fro, in seconds */
export function clockFaultsOf(figures: ClockFigures, step: number): string[] {
  const faults = faultsOf(figures, { duplicates: duplicatesMax })
  const longestMs = Math.max(step * 1_000, ...figures.holds.map(({ lastedMs }) => lastedMs))
  if (figures.slowestRetryOverStepMs > longestMs + frontMs + retryMs.max)
    faults.push(`over a step of the database a retry came after ${figures.slowestRetryOverStepMs} ms`)
  if (figures.refusedKeys > 0) faults.push(`${figures.refusedKeys} calls with a good key were refused`)
  if (figures.retriesMissing > 0) faults.push(`${figures.retriesMissing} retries never came`)
  if (figures.slowestRetryMs > retryMs.max) faults.push(`a retry came after ${figures.slowestRetryMs} ms`)
  if (figures.quickestRetryMs < retryMs.min) faults.push(`a retry came after ${figures.quickestRetryMs} ms`)
  for (const wait of figures.answeredAfterMs)
    if (wait === null || wait > answeredMsMax) faults.push(`after a step calls were answered again after ${wait} ms`)
  return [...faults, ...figures.holds.flatMap(faultsOfHold)]
}

function faultsOfHold({ whose, sweptAfterMs, lapsedNotes, longestDeliveryGapMs }: Hold): string[] {
  const faults: string[] = []
  if (sweptAfterMs.length === 0 || sweptAfterMs.includes(null)) faults.push(`nothing was swept for ${sweepMsMax} ms`)
  if (lapsedNotes > 0) faults.push(`${lapsedNotes} looks found a server without a note`)
  if (longestDeliveryGapMs > deliveryGapMsMax) faults.push(`nothing was delivered for ${longestDeliveryGapMs} ms`)
  return faults.map((fault) => `while the clock of the ${whose} was behind, ${fault}`)
}

/** After many refusals in a minute, the replica responds with 429 instead. */
function isStale({ what, status, code }: Heard): boolean {
  return what === 'event' && (code === 'webhook_signature_stale' || (status === 429 && code === 'rate_limited'))
}

/** What a replica had begun before a step may be answered by either time. */
function isReplicaOff(steps: readonly Step[], atMs: number): boolean {
  const own = steps.filter(({ whose }) => whose === 'replica')
  return [atMs, atMs - staleMs].some((at) => (own.findLast((step) => step.atMs <= at)?.offset ?? 0) !== 0)
}

function answeredAfterMs(heard: readonly Heard[], atMs: number): number | null {
  const waits = (['event', 'write', 'read'] as const).map((what) => {
    const answered = heard.filter((answer) => answer.what === what && isAcknowledged(answer))
    return firstAfterMs(
      answered.map((answer) => answer.atMs),
      atMs,
    )
  })
  return waits.every((wait) => wait !== null) ? Math.max(...waits) : null
}

type Wait = { fromMs: number; toMs: number | null }

function lengthOf({ fromMs, toMs }: Wait): number {
  return (toMs ?? fromMs) - fromMs
}

/** From each refused first attempt to the second; null if there was none. */
function retryWaits(attempts: readonly Attempt[]): Wait[] {
  return [...Map.groupBy(attempts, ({ webhookId }) => webhookId).values()].flatMap(([first, second]) =>
    first && !first.isTaken ? [{ fromMs: first.atMs, toMs: second?.atMs ?? null }] : [],
  )
}
