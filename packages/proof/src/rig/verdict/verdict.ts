// The requirements of a run, and the verdict on it. Pure.

import { answerFigures, judgeAnswers, judgeRepeats } from './answers.ts'
import { judgeDeliveries } from './deliveries.ts'
import { judgeOwnEvents, judgeProviderEvents, judgePulled } from './events.ts'
import type { Expectation } from './expectation.ts'
import { judgeForeign } from './foreign.ts'
import { gapsOf, judgeGaps, uncheckedTimes } from './gaps.ts'
import { judgeDeposits } from './money.ts'
import { judgeAccounts, judgeUsers } from './objects.ts'
import type { Finding, Kind, Observed } from './observed.ts'

export type Verdict = {
  figures: Readonly<Record<string, unknown>>
  findings: readonly Finding[]
  /** Why the run fails: empty when every promise held and the run could have broken one. */
  faults: readonly string[]
}

/** Exported for proofs that are not scenarios, and tested with a ledger that is correct except for one entry. */
export const judges = {
  users: judgeUsers,
  accounts: judgeAccounts,
  deposits: judgeDeposits,
  providerEvents: judgeProviderEvents,
  ownEvents: judgeOwnEvents,
  pulled: judgePulled,
  deliveries: judgeDeliveries,
  answers: judgeAnswers,
  repeats: judgeRepeats,
  gaps: judgeGaps,
  foreign: judgeForeign,
} as const satisfies Record<string, (observed: Observed, expect: Expectation) => readonly Finding[]>

/** Judges that need no final state: nothing counts as lost or foreign because a list could not be read. */
const withoutState: ReadonlySet<string> = new Set<keyof typeof judges>(['answers', 'repeats', 'gaps'])

const words: Readonly<Record<Kind, string>> = {
  lost: 'things were lost',
  doubled: 'things were made or told twice',
  reordered: 'events overtook an earlier one of their end-user',
  gap: 'faults in the numbers of deliveries',
  stuck: 'things did not end in time',
  unfit: 'responses were neither final nor a 503 or 504 that says when to come back',
  unanswered: 'requests got no response',
  duplicate: 'deliveries were accepted again',
  foreign: 'times something of another business or of a person was shown',
  broken: 'other promises were broken',
  'too slow': 'times something took too long',
}

export function judge(observed: Observed, expect: Expectation): Verdict {
  const isStateRead = !observed.evidence.businesses.some(({ unread }) => unread)
  const findings = [
    ...Object.entries(judges).flatMap(([name, judgePart]) =>
      isStateRead || withoutState.has(name) ? judgePart(observed, expect) : [],
    ),
    ...(expect.also?.(observed) ?? []),
  ]
  const counts = countsOf(observed)
  const byKind = Map.groupBy(findings, ({ kind }) => kind)
  const faults = Object.entries(words).flatMap(([kind, text]) => {
    const found = byKind.get(kind as Kind)?.length ?? 0
    const allowed = allowedOf(expect, kind as Kind)
    if (found <= allowed) return []
    return [`${found} ${text}${allowed > 0 ? `, ${allowed} allowed` : ''}`]
  })
  return {
    figures: figuresOf(observed, counts, byKind),
    findings,
    faults: [...faults, ...faultsOfCounts(counts, expect)],
  }
}

/** @returns how many findings of this kind fail nothing */
export function allowedOf({ allow = {} }: Expectation, kind: Kind): number {
  return kind === 'unanswered' || kind === 'duplicate' ? (allow[kind] ?? 0) : 0
}

/** @returns the counts of the run, and those of the ledger */
function countsOf({ ledger, evidence }: Observed): ReadonlyMap<string, number> {
  const { answers, acknowledged, refused, retried } = answerFigures(ledger)
  const rows = (name: 'users' | 'accounts' | 'deposits' | 'events'): number =>
    evidence.businesses.reduce((sum, one) => sum + one[name].length, 0)
  return new Map([
    ...ledger.counts,
    ...Object.entries({ answers, acknowledged, refused, retried }),
    ['readyz unanswered', uncheckedTimes(ledger)],
    ['end-users', rows('users')],
    ['accounts', rows('accounts')],
    ['deposits', rows('deposits')],
    ['events', rows('events')],
    ['deliveries', ledger.attempts.filter(({ accepted }) => accepted).length],
  ])
}

function faultsOfCounts(counts: ReadonlyMap<string, number>, { none = [], atLeast = {} }: Expectation): string[] {
  const wanted = { acknowledged: 1, ...atLeast }
  return [
    ...none.filter((name) => (counts.get(name) ?? 0) > 0).map((name) => `${name}: ${counts.get(name)}, none allowed`),
    ...Object.entries(wanted)
      .filter(([name, least]) => (counts.get(name) ?? 0) < least)
      .map(([name, least]) => `${name}: ${counts.get(name) ?? 0}; fewer than ${least} prove nothing`),
  ]
}

function figuresOf(
  observed: Observed,
  counts: ReadonlyMap<string, number>,
  byKind: ReadonlyMap<Kind, readonly Finding[]>,
): Verdict['figures'] {
  const { ledger } = observed
  const { repeated, slowestAnswerMs } = answerFigures(ledger)
  const signedOff = ledger.attempts.map(({ signedAtMs, atMs }) => Math.abs(signedAtMs - atMs))
  return {
    ...Object.fromEntries(counts),
    ...Object.fromEntries(Object.keys(words).map((kind) => [kind, byKind.get(kind as Kind)?.length ?? 0])),
    repeated,
    slowestAnswerMs: Math.round(slowestAnswerMs),
    slowestReadyzMs: ledger.checks.reduce((slowest, { tookMs }) => Math.max(slowest, Math.round(tookMs)), 0),
    signedOffMs: Math.round(signedOff.reduce((most, off) => Math.max(most, off), 0)),
    longestGapMs: gapsOf(observed).map(rounded),
    recoveries: ledger.recoveries,
  }
}

function rounded<G extends { name: string }>(gaps: G): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(gaps).map(([name, value]) => [name, typeof value === 'number' ? Math.round(value) : value]),
  )
}
