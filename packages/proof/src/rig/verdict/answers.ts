// The responses to callers: results, final refusals, and "again later". Everything else must be absent. Pure.

import type { Answer } from '../ledger.ts'
import type { Expectation } from './expectation.ts'
import { type Finding, type Observed, timeOfDay } from './observed.ts'

export function isAcknowledged({ status }: Answer): boolean {
  return status !== null && status >= 200 && status < 300
}

/**
 * Final are results and refusals with 4xx: whether a refusal was right, the caller knows. The provider's events are never
 * refused. Everything else must be a 503 or 504 that says when to come back.
 */
export function isFit({ what, status, hasRetryAfter, isRetryable }: Answer): boolean {
  if (status === null) return false
  if (status >= 200 && status < 300) return true
  if (status === 503 || status === 504) return hasRetryAfter && isRetryable
  return status >= 400 && status < 500 && what !== 'event'
}

export function judgeAnswers({ ledger, stuck, unexpected }: Observed, { explains }: Expectation): Finding[] {
  const findings: Finding[] = []
  for (const answer of ledger.answers) {
    if (answer.status === null) findings.push({ kind: 'unanswered', text: exampleOf(answer) })
    else if (!isFit(answer) && !explains?.(answer, ledger)) findings.push({ kind: 'unfit', text: exampleOf(answer) })
  }
  findings.push(...ledger.complaints)
  findings.push(...stuck.map((text): Finding => ({ kind: 'stuck', text })))
  findings.push(...unexpected.map((text): Finding => ({ kind: 'broken', text: `logged as unexpected: ${text}` })))
  return findings
}

/** The same request with the same Idempotency-Key gets the same response from every replica. */
export function judgeRepeats({ ledger }: Observed): Finding[] {
  const repeats = ledger.acknowledged.filter((one) => one.kind === 'repeat')
  return [...Map.groupBy(repeats, ({ key }) => key)].flatMap(([key, responses]): Finding[] => {
    const bodies = new Set(responses.map(({ body }) => body))
    if (bodies.size === 1) return []
    return [{ kind: 'broken', text: `Idempotency-Key ${key} got different responses: ${[...bodies].join(' and ')}` }]
  })
}

export type AnswerFigures = {
  answers: number
  /** Events and writes that got a 2xx. */
  acknowledged: number
  /** 503 and 504. */
  refused: number
  /** Requests that were sent again, by callers and by the balancer. */
  retried: number
  /** Responses that made callers try again, by kind, status and code. */
  repeated: Readonly<Record<string, number>>
  slowestAnswerMs: number
}

export function answerFigures({ answers, counts }: Observed['ledger']): AnswerFigures {
  const again = answers.filter((answer) => !isAcknowledged(answer))
  const mayRetry = again.filter(({ status, isRetryable }) => status === null || status >= 500 || isRetryable)
  return {
    answers: answers.length,
    acknowledged: answers.filter((answer) => answer.what !== 'read' && isAcknowledged(answer)).length,
    refused: answers.filter(({ status }) => status === 503 || status === 504).length,
    retried: mayRetry.length + (counts.get('retried by the balancer') ?? 0),
    repeated: Object.fromEntries([...Map.groupBy(again, nameOf)].map(([name, same]) => [name, same.length])),
    slowestAnswerMs: answers.reduce((slowest, { tookMs }) => Math.max(slowest, tookMs), 0),
  }
}

function nameOf({ what, status, code }: Answer): string {
  return status === null ? `${what} unanswered` : `${what} ${status} ${code ?? ''}`.trim()
}

function exampleOf(answer: Answer): string {
  const { atMs, tookMs, call, replica, hasRetryAfter, isRetryable } = answer
  return `${timeOfDay(atMs)} ${nameOf(answer)} to ${call} from ${replica || 'no replica'} after ${tookMs} ms (Retry-After: ${hasRetryAfter}, retryable: ${isRetryable})`
}
