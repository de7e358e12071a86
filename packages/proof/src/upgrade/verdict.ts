// What an upgrade promises, held against what a run has seen. Pure.

import type { Judged } from '../chaos-relay/verdict.ts'
import type { FleetFigures } from '../fleet/judge.ts'

export type UpgradeReport = Judged & {
  /** The version before this one: the tag, or `unreleased`. */
  from: string
  fromCommit: string
  /** Replicas of one version that another took the place of. */
  replaced: number
  requests: number
  /** Tries that were repeated, because the answer said so or the connection was refused. */
  retried: number
  /** Requests that failed and were not retryable. */
  failed: number
  /** Writes that were answered with success. */
  acknowledged: number
  /** Acknowledged writes that were not found afterwards. */
  lostWrites: number
  /** Answers under an `Idempotency-Key` that another version gave, and of these the ones that differ. */
  repeatedAnswers: number
  changedAnswers: number
  /** Replicas that ended otherwise than with 0, or too late. */
  badExits: number
  slowestStopMs: number
  /** How often the migration of the next version was applied by those that raced for it. */
  aheadApplied: number
  /** Whether the next version finds a row by the index that was built under load on a table of a million rows. */
  aheadUsed: boolean
  /** Replicas of both versions that started on the schema of the next. */
  aheadStarts: number
  /** Replicas of both versions that refused to start behind a breaking migration, and named it. */
  breakingRefusals: number
  /** The verdict on the roll under everything that a business does. */
  mixed: FleetFigures
  mixedFaults: readonly string[]
  seed: number
  durationMs: number
}

const versions = 2

/** Lists the faults of a run: none when every promise held and the run could have broken one. */
export function faultsOf(report: UpgradeReport): string[] {
  const { replaced, requests, acknowledged, accepted, repeatedAnswers } = report
  const faults: string[] = []
  if (replaced === 0 || requests < replaced * 10) faults.push('too few requests were made to prove anything')
  if (acknowledged === 0 || accepted === 0 || repeatedAnswers === 0) faults.push('nothing was acknowledged')
  const none = {
    'requests failed and were not retryable': report.failed,
    'acknowledged writes were lost': report.lostWrites,
    'acknowledged events were lost': report.lost,
    'events were delivered out of order': report.reordered,
    'faults in the sequence numbers': report.sequenceGaps,
    'answers changed with the version': report.changedAnswers,
    'replicas did not end with 0 in time': report.badExits,
  }
  for (const [what, count] of Object.entries(none)) if (count > 0) faults.push(`${count} ${what}`)
  // Every replica is told to stop while it sends, and gives its deliveries back: a repeat is the exception.
  if (report.duplicates > replaced) faults.push(`${report.duplicates} deliveries were repeated by ${replaced} stops`)
  if (report.aheadApplied !== 1) faults.push(`a migration was applied ${report.aheadApplied} times`)
  if (!report.aheadUsed) faults.push('the next version does not find a row by its new index')
  if (report.aheadStarts !== versions) faults.push(`${report.aheadStarts} of 2 versions started on the next schema`)
  if (report.breakingRefusals !== versions)
    faults.push(`${report.breakingRefusals} of 2 versions refused to start behind a breaking migration`)
  return [...faults, ...report.mixedFaults]
}
