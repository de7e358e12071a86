// All that must hold at the end of a chaos run, and what of it makes the run fail.

import { duplicatesMax } from '../../relay-world/duplicates.ts'
import {
  judgeDeliveries,
  judgeForeignBytes,
  judgeOwnEvents,
  judgeProviderEvents,
  judgePulled,
} from '../../rig/verdict/events.ts'
import { type Findings, noFindings } from '../../rig/verdict/findings.ts'
import { judgeMoney } from '../../rig/verdict/money.ts'
import { judgeAccounts, judgeUsers } from '../../rig/verdict/objects.ts'
import type { Ledger } from '../ledger.ts'
import type { Evidence } from './evidence.ts'

export type Figures = {
  kills: number
  /** Faults of connections beside the kills. */
  faults: number
  /** Writes that callers got a 2xx for. */
  acknowledged: number
  lost: number
  doubledUpstream: number
  stuck: number
  duplicates: number
  /** Violations of any other promise. */
  broken: number
  endUsers: number
  accounts: number
  deposits: number
  events: number
}

export function judge(evidence: Evidence, ledger: Ledger): { findings: Findings; deposits: number } {
  const findings = noFindings()
  judgeUsers(evidence, ledger, findings)
  judgeAccounts(evidence, ledger, findings)
  judgeProviderEvents(evidence, findings)
  for (const one of evidence.businesses) {
    judgeDeliveries(one, findings)
    judgePulled(one, ledger, findings)
    judgeOwnEvents(one, findings)
  }
  judgeForeignBytes(evidence, findings)
  return { findings, deposits: judgeMoney(evidence, findings) }
}

/** Why the run fails; empty when all is well. */
export function faultsOf(figures: Figures): string[] {
  const faults: string[] = []
  if (figures.acknowledged === 0 || figures.accounts === 0 || figures.deposits === 0)
    faults.push('too little was done to prove anything')
  if (figures.lost > 0) faults.push(`${figures.lost} things were lost`)
  if (figures.doubledUpstream > 0) faults.push(`${figures.doubledUpstream} things were made more than once`)
  if (figures.stuck > 0) faults.push(`${figures.stuck} things were stuck a minute after all was healed`)
  if (figures.duplicates > duplicatesMax(figures.kills, figures.faults))
    faults.push(`${figures.duplicates} duplicates after ${figures.kills} kills`)
  if (figures.broken > 0) faults.push(`${figures.broken} other promises were broken`)
  return faults
}
