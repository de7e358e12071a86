// The allowed effects of stepped clocks, and their traces in deliveries. Pure.

import type { Answer, Attempt, Ledger } from '../../rig/ledger.ts'
import type { Finding, Observed } from '../../rig/verdict/observed.ts'

/** A span in which a clock is off: `clock of replica -600`. */
export type Step = { whose: string; offset: number; fromMs: number; toMs: number }

export const stepPrefix = 'clock of '

/** Asked for are 5 s, spread by a fifth, and a process may be busy. */
const retryMs = { min: 3_500, max: 30_000 }
/** So often a lane reads its retries from the beginning, also those that a clock which was put back has placed there. */
const frontMs = 60_000
/** After a step of the database a replica still uses the new time for what it had begun. */
const staleMs = 1_000
const deliveryGapMsMax = 15_000

function stepsOf({ spans }: Ledger): Step[] {
  return spans.flatMap(({ name, fromMs, toMs }) => {
    if (!name.startsWith(stepPrefix)) return []
    const [whose = '', offset] = name.slice(stepPrefix.length).split(' ')
    return [{ whose, offset: Number(offset), fromMs, toMs }]
  })
}

/**
 * The replica with the wrong clock refuses events as too old or too new, and the provider repeats them. After many refusals
 * in a minute it responds with 429 instead.
 */
export function isExplained({ what, status, code, atMs }: Answer, ledger: Ledger): boolean {
  if (what !== 'event') return false
  if (code !== 'webhook_signature_stale' && !(status === 429 && code === 'rate_limited')) return false
  const own = stepsOf(ledger).filter(({ whose }) => whose === 'replica')
  return [atMs, atMs - staleMs].some((at) => (own.findLast(({ fromMs }) => fromMs <= at)?.offset ?? 0) !== 0)
}

/** @param step to and fro, in seconds */
export function judgeClock({ ledger }: Observed, step: number): Finding[] {
  const findings: Finding[] = []
  const steps = stepsOf(ledger)
  const refused = ledger.answers.filter(({ status }) => status === 401 || status === 403)
  for (const { call, atMs } of refused.filter((answer) => !isExplained(answer, ledger)))
    findings.push({ kind: 'unfit', text: `a good key was refused: ${call} at ${new Date(atMs).toISOString()}` })
  const longestMs = Math.max(step * 1_000, ...steps.map(({ fromMs, toMs }) => toMs - fromMs))
  for (const { webhookId, fromMs, toMs } of retryWaits(ledger.attempts)) {
    if (toMs === null) {
      findings.push({ kind: 'lost', text: `the retry of ${webhookId} never came` })
      continue
    }
    const isOverStep = steps.some(
      (one) => one.whose === 'database' && one.fromMs > fromMs - frontMs && one.fromMs < toMs,
    )
    const max = isOverStep ? longestMs + frontMs + retryMs.max : retryMs.max
    if (toMs - fromMs > max)
      findings.push({ kind: 'too slow', text: `the retry of ${webhookId} came after ${toMs - fromMs} ms` })
    if (!isOverStep && toMs - fromMs < retryMs.min)
      findings.push({ kind: 'broken', text: `the retry of ${webhookId} came after ${toMs - fromMs} ms` })
  }
  for (const { whose, offset, fromMs, toMs } of steps.filter(({ offset }) => offset < -step)) {
    const arrivals = ledger.attempts.filter(({ atMs, accepted }) => accepted && atMs > fromMs && atMs < toMs)
    const times = [fromMs, ...arrivals.map(({ atMs }) => atMs), toMs]
    const gapMs = Math.max(...times.slice(1).map((atMs, at) => atMs - (times[at] ?? atMs)))
    if (gapMs > deliveryGapMsMax)
      findings.push({
        kind: 'too slow',
        text: `nothing arrived for ${gapMs} ms while the clock of the ${whose} was off by ${offset} s`,
      })
  }
  return findings
}

/** From each refused first attempt to the second; null if there was none. */
function retryWaits(attempts: readonly Attempt[]): { webhookId: string; fromMs: number; toMs: number | null }[] {
  const byDelivery = Map.groupBy(attempts, ({ endpoint, webhookId }) => `${endpoint} ${webhookId}`)
  return [...byDelivery].flatMap(([webhookId, [first, second]]) =>
    first && !first.accepted ? [{ webhookId, fromMs: first.atMs, toMs: second?.atMs ?? null }] : [],
  )
}
