// How long something was away: events, writes, reads, deliveries, readiness; and how long recoveries took. Pure.

import type { Ledger, Span } from '../ledger.ts'
import { isAcknowledged } from './answers.ts'
import type { Expectation } from './expectation.ts'
import { type Finding, type Gap, type Observed, reliableEndpoints } from './observed.ts'

export type Gaps = { name: string } & Record<Gap, number>

/** The longest gap of each kind, in each span, or in the whole run if there is no span. Kinds without entries have no gap. */
export function gapsOf({ ledger, evidence }: Observed): Gaps[] {
  const spans = ledger.spans.length > 0 ? ledger.spans : [{ name: 'the run', ...ledger.load }]
  const endpoints = evidence.businesses.flatMap(({ business, events }) =>
    events.length > 0 ? reliableEndpoints(business) : [],
  )
  return spans.map((span) => ({
    name: span.name,
    event: answerGapMs(ledger, 'event', span),
    write: answerGapMs(ledger, 'write', span),
    read: answerGapMs(ledger, 'read', span),
    delivery: endpoints.reduce((longest, { name }) => Math.max(longest, deliveryGapMs(ledger, name, span)), 0),
    ready: readyGapMs(ledger, span),
  }))
}

function answerGapMs({ answers }: Ledger, what: 'event' | 'write' | 'read', span: Span): number {
  const own = answers.filter((answer) => answer.what === what)
  if (own.length === 0) return 0
  return longestGapMs(
    own.filter(isAcknowledged).map(({ atMs }) => atMs),
    span,
  )
}

function deliveryGapMs({ attempts }: Ledger, endpoint: string, span: Span): number {
  const taken = attempts.filter((attempt) => attempt.accepted && attempt.endpoint === endpoint)
  return longestGapMs(
    taken.map(({ atMs }) => atMs),
    span,
  )
}

/** 0 for a replica that was ready at every check. */
function readyGapMs({ checks }: Ledger, span: Span): number {
  const within = checks.filter(({ atMs }) => atMs >= span.fromMs && atMs <= span.toMs)
  const gaps = [...Map.groupBy(within, ({ replica }) => replica).values()].map((own) => {
    const ready = own.filter(({ status }) => status === 200)
    if (ready.length === own.length) return 0
    return longestGapMs(
      ready.map(({ atMs }) => atMs),
      span,
    )
  })
  return Math.max(0, ...gaps)
}

/** The longest time within the span in which nothing happened; its ends count as happenings. */
export function longestGapMs(times: readonly number[], { fromMs, toMs }: Pick<Span, 'fromMs' | 'toMs'>): number {
  let longest = 0
  let lastMs = fromMs
  for (const atMs of times.filter((at) => at > fromMs && at < toMs).sort((a, b) => a - b)) {
    longest = Math.max(longest, atMs - lastMs)
    lastMs = atMs
  }
  return Math.max(longest, toMs - lastMs)
}

/** @returns milliseconds from `fromMs` to the first at or after it; null when there was none */
export function firstAfterMs(times: readonly number[], fromMs: number): number | null {
  const first = times.reduce((earliest, at) => (at >= fromMs && at < earliest ? at : earliest), Infinity)
  return Number.isFinite(first) ? first - fromMs : null
}

/** @returns milliseconds until an event, a write and a read (those that the load has) succeeded again; null: not yet */
export function servingAfterMs({ answers }: Ledger, fromMs: number): number | null {
  const kinds = new Set(answers.map(({ what }) => what))
  const waits = [...kinds].map((what) =>
    firstAfterMs(
      // A request that began before may have been carried out before.
      answers
        .filter((answer) => answer.what === what && isAcknowledged(answer) && answer.atMs - answer.tookMs >= fromMs)
        .map(({ atMs }) => atMs),
      fromMs,
    ),
  )
  return waits.length > 0 && waits.every((wait) => wait !== null) ? Math.max(...waits) : null
}

export function judgeGaps(observed: Observed, { gapMsMax = {}, recoveryMsMax }: Expectation): Finding[] {
  const bounds = Object.entries(gapMsMax) as [Gap, number][]
  const slow = gapsOf(observed).flatMap((gaps) =>
    bounds
      .filter(([gap, limit]) => gaps[gap] > limit)
      .map(([gap, limit]) => `${gaps.name}: no ${gap} for ${Math.round(gaps[gap])} ms, over ${limit}`),
  )
  for (const { name, tookMs } of observed.ledger.recoveries)
    if (tookMs === null || tookMs > (recoveryMsMax ?? Infinity))
      slow.push(`${name}: ${tookMs === null ? 'never served again' : `served again after ${tookMs} ms`}`)
  return slow.map((text) => ({ kind: 'too slow', text }))
}

/** Readiness checks without a response, in the spans if there are any. */
export function uncheckedTimes({ checks, spans }: Ledger): number {
  const isWithin = (atMs: number): boolean =>
    spans.length === 0 || spans.some(({ fromMs, toMs }) => atMs >= fromMs && atMs <= toMs)
  return checks.filter(({ status, atMs }) => status === null && isWithin(atMs)).length
}
