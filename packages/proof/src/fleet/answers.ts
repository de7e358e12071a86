// What the load of a fleet was answered, and what of it may be answered at all. Pure.

import type { Heard } from '../chaos/caller.ts'

export type AnswerFigures = {
  /** Answers that no caller should get: neither the result, nor a refusal that is final, nor one that says "again". */
  unfitAnswers: number
  /** Refused or reset connections, and calls without an answer in time. */
  unanswered: number
  /** Answers that made the caller try again, by what was called, status and code. */
  repeated: Readonly<Record<string, number>>
  /** The longest time without an acknowledged one. */
  longestGapMs: { event: number; write: number; read: number }
  slowestAnswerMs: number
  examples: readonly string[]
}

export type Span = { fromMs: number; toMs: number }

const examplesMax = 10

export function isAcknowledged({ status }: Heard): boolean {
  return status !== null && status < 300
}

/**
 * Final are results and refusals with 4xx: whether a refusal was right, the caller knows. The provider's events are never
 * refused. Everything else must be a 503 or 504 that says when to come back.
 */
export function isFit({ what, status, hasRetryAfter, isRetryable }: Heard): boolean {
  if (status === null) return false
  if (status < 300) return true
  if (status === 503 || status === 504) return hasRetryAfter && isRetryable
  return status >= 400 && status < 500 && what !== 'event'
}

export function answerFigures(heard: readonly Heard[], span: Span): AnswerFigures {
  const unfit = heard.filter((answer) => answer.status !== null && !isFit(answer))
  const unanswered = heard.filter(({ status }) => status === null)
  const again = heard.filter((answer) => !isAcknowledged(answer))
  const timesOf = (what: Heard['what']): number[] =>
    heard.filter((answer) => answer.what === what && isAcknowledged(answer)).map(({ atMs }) => atMs)
  return {
    unfitAnswers: unfit.length,
    unanswered: unanswered.length,
    repeated: Object.fromEntries([...Map.groupBy(again, toldOf)].map(([told, answers]) => [told, answers.length])),
    longestGapMs: {
      event: longestGapMs(timesOf('event'), span),
      write: longestGapMs(timesOf('write'), span),
      read: longestGapMs(timesOf('read'), span),
    },
    slowestAnswerMs: Math.max(0, ...heard.map(({ tookMs }) => tookMs)),
    examples: [...unfit, ...unanswered].slice(0, examplesMax).map(exampleOf),
  }
}

/** The longest time within the span in which nothing happened; its ends count as happenings. */
export function longestGapMs(times: readonly number[], { fromMs, toMs }: Span): number {
  let longest = 0
  let lastMs = fromMs
  for (const atMs of [...times].filter((at) => at > fromMs && at < toMs).sort((a, b) => a - b)) {
    longest = Math.max(longest, atMs - lastMs)
    lastMs = atMs
  }
  return Math.max(longest, toMs - lastMs)
}

/** @returns milliseconds from `fromMs` to the first at or after it; null when there was none */
export function firstAfterMs(times: readonly number[], fromMs: number): number | null {
  const later = times.filter((at) => at >= fromMs)
  return later.length === 0 ? null : Math.min(...later) - fromMs
}

function toldOf({ what, status, code }: Heard): string {
  return status === null ? `${what} unanswered` : `${what} ${status} ${code ?? ''}`.trim()
}

function exampleOf(answer: Heard): string {
  const { atMs, tookMs, hasRetryAfter, isRetryable } = answer
  const time = new Date(atMs).toISOString().slice(11, 23)
  return `${time} ${toldOf(answer)} to ${answer.call ?? 'the provider'} after ${tookMs} ms (Retry-After: ${hasRetryAfter}, retryable: ${isRetryable})`
}
