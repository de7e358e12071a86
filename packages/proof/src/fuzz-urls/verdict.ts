// Lists the faults of a run's figures: none when the promise held and the run could have broken it.

import type { Figures } from './campaign.ts'

/** Enough attempts that each kind of them has come up. */
const attemptsToJudge = 500

export function faultsOf(figures: Figures): string[] {
  const faults: string[] = []
  const none = (count: number, what: string): void => {
    if (count > 0) faults.push(`${count} ${what}`)
  }
  none(figures.connections, 'connections reached the canary')
  none(figures.forbiddenDials, 'dials to an address that is not public, or by a name')
  none(figures.notRefused, 'attempts ended otherwise than by a refusal')
  none(figures.wronglyFit, 'forbidden literals were taken for a fit webhook URL')
  if (figures.attempts < attemptsToJudge) return faults
  if (figures.publicDials === 0) faults.push('nothing was let through: a guard that refuses everything proves nothing')
  if (figures.refused < figures.attempts / 3) faults.push('too few attempts came as far as the guard')
  return faults
}
