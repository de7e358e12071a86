// Responses of `/readyz` while the disk is full, and whether reads succeed. Pure.

import type { Finding, Observed } from '../../rig/verdict/observed.ts'

/** From the first refused write: a process that refuses writes for longer and says that it is ready gets traffic. */
const notReadyMsMax = 10_000

/** Judges each span whose name begins with `full`: every replica must say 503 in time, where the disk was full for long enough. */
export function judgeReadiness({ ledger }: Observed): Finding[] {
  const findings: Finding[] = []
  let judged = 0
  for (const { name, fromMs, toMs } of ledger.spans.filter((span) => span.name.startsWith('full'))) {
    const refusedAtMs = ledger.answers.find(
      ({ what, status, atMs }) => what === 'write' && status === 503 && atMs > fromMs && atMs < toMs,
    )?.atMs
    if (refusedAtMs === undefined) continue
    for (const [replica, checks] of Map.groupBy(ledger.checks, (check) => check.replica)) {
      const first = checks.find(({ atMs, status }) => status === 503 && atMs > fromMs && atMs < toMs)
      const waitMs = (first?.atMs ?? toMs) - refusedAtMs
      if (first || waitMs > notReadyMsMax) judged += 1
      if (waitMs > notReadyMsMax)
        findings.push({
          kind: 'broken',
          text: `${name}: ${replica} refused writes, and /readyz said 503 ${first ? `after ${waitMs} ms` : 'never'}`,
        })
    }
  }
  if (judged === 0) findings.push({ kind: 'broken', text: 'no round was full for long enough to judge /readyz' })
  return findings
}

/** A read needs no space on the disk. In later rounds PostgreSQL ends, and nothing can be read. */
const readGapMsMax = 8_000

export function judgeReads({ ledger }: Observed): Finding[] {
  const full = ledger.spans.find(({ name }) => name === 'full 1')
  if (!full) return []
  const reads = ledger.answers.filter(
    ({ what, status, atMs }) => what === 'read' && status === 200 && atMs > full.fromMs && atMs < full.toMs,
  )
  const times = [full.fromMs, ...reads.map(({ atMs }) => atMs), full.toMs]
  const gapMs = Math.max(...times.slice(1).map((atMs, at) => atMs - (times[at] ?? atMs)))
  return gapMs > readGapMsMax ? [{ kind: 'too slow', text: `${full.name}: nothing was read for ${gapMs} ms` }] : []
}
