// What callers saw of one failover, and what of it breaks the promise. Pure.

import { isAcknowledged, longestGapMs, type Span } from '../fleet/answers.ts'
import type { Heard } from '../rig/load/caller.ts'
import type { Readiness } from './readiness.ts'

/** `dies`: every process of the host is killed. `hangs`: every one is stopped, its connections stay open, and it wakes again. */
export type Accident = 'primary dies' | 'primary hangs' | 'standby hangs'

export type Failover = Readiness & {
  accident: Accident
  /** From the accident to the word of the next primary that it takes writes; null where the primary stayed. */
  promotedMs: number | null
  /** The longest time without an acknowledged one, from the accident until the cluster was whole again. */
  eventsAwayMs: number
  writesAwayMs: number
  readsAwayMs: number
  deliveriesAwayMs: number
  slowestAnswerMs: number
}

type Seen = Pick<Failover, 'eventsAwayMs' | 'writesAwayMs' | 'readsAwayMs' | 'slowestAnswerMs'>

export function outageOf(heard: readonly Heard[], span: Span): Seen {
  const within = heard.filter(({ atMs }) => atMs >= span.fromMs && atMs <= span.toMs)
  const awayMs = (wanted: Heard['what']): number =>
    longestGapMs(
      within.filter((answer) => answer.what === wanted && isAcknowledged(answer)).map(({ atMs }) => atMs),
      span,
    )
  return {
    eventsAwayMs: awayMs('event'),
    writesAwayMs: awayMs('write'),
    readsAwayMs: awayMs('read'),
    slowestAnswerMs: Math.max(0, ...within.map(({ tookMs }) => tookMs)),
  }
}

/** The promise: writes are answered again so soon. */
const awayMsMax = 30_000

export function faultsOfFailovers(failovers: readonly Failover[], times: number): string[] {
  const faults: string[] = []
  if (failovers.length < times) faults.push(`${failovers.length} of ${times} accidents happened`)
  for (const [at, { accident, uncheckedTimes, eventsAwayMs, writesAwayMs, deliveriesAwayMs }] of failovers.entries()) {
    if (uncheckedTimes > 0) faults.push(`${at + 1} (${accident}): /readyz gave no answer ${uncheckedTimes} times`)
    for (const [what, awayMs] of Object.entries({ eventsAwayMs, writesAwayMs, deliveriesAwayMs }))
      if (awayMs > awayMsMax) faults.push(`${at + 1} (${accident}): ${what} is ${awayMs}, over ${awayMsMax}`)
  }
  return faults
}
