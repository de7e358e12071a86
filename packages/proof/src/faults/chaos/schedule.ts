// The events of a chaos run, drawn from its seed before it begins: the same seed gives the same kills and faults. Pure.

import { type Chance, chanceOf } from '../../rig/chance.ts'
import type { Death } from '../../rig/databases/database.ts'
import type { Victim } from '../../rig/deployment/absences.ts'
import type { Fault } from '../../rig/network/faults.ts'

export type Step =
  | { what: 'kill'; victim: Victim; death: Death; downMs: number; afterMs: number }
  | { what: 'fault'; line: Line; fault: Fault; forMs: number; afterMs: number }
  /** The provider dies, and comes back. */
  | { what: 'absence'; downMs: number; afterMs: number }

/** The connections of a fault proxy: to a replica's database, to the provider, from the provider's webhooks, to the receivers. */
type Line = { replica: number } | 'provider' | 'webhooks' | 'receivers'

export type Plan = { kills: number; replicas: number; seed: number; gapMs: number }

/**
 * Every third kill comes with a COMMIT fault in addition to the drawn faults: in turn the COMMITs or their responses are lost.
 */
const killsPerCommit = 3
const commitsMax = 3

/** Kills one after another, `gapMs` apart in the mean; between them faults and absences. */
export function scheduleOf({ kills, replicas, seed, gapMs }: Plan): Step[] {
  const chance = chanceOf(seed, 0)
  const steps: Step[] = []
  for (let done = 0; done < kills; done++) {
    // One of eight follows on the heels of the last: while it is still on its way back.
    const waitMs = chance.oneIn(8) ? chance.below(100) : gapMs / 2 + chance.below(gapMs)
    if (done % killsPerCommit === 0)
      steps.push({
        what: 'fault',
        line: { replica: chance.below(replicas) },
        fault: { kind: 'commit', arrives: done % (2 * killsPerCommit) !== 0, times: 1 + chance.below(commitsMax) },
        forMs: 1_000,
        afterMs: 0,
      })
    const faults = chance.below(3)
    for (let at = 0; at < faults; at++)
      steps.push({ what: 'fault', ...faultOf(chance, replicas), afterMs: Math.round(waitMs / (faults + 1)) })
    if (chance.oneIn(10)) steps.push({ what: 'absence', downMs: chance.below(500), afterMs: 0 })
    steps.push({
      what: 'kill',
      victim: chance.oneIn(6) ? 'database' : chance.below(replicas),
      death: chance.oneIn(2) ? 'crash' : 'immediate',
      downMs: chance.below(300),
      afterMs: Math.round(waitMs / (faults + 1)),
    })
  }
  return steps
}

function faultOf(chance: Chance, replicas: number): { line: Line; fault: Fault; forMs: number } {
  const forMs = 100 + chance.below(700)
  const of = chance.pick(['database', 'database', 'provider', 'webhooks', 'receivers'] as const)
  if (of === 'database') {
    const line = { replica: chance.below(replicas) }
    const fault = chance.oneIn(3)
      ? ({ kind: 'commit', arrives: !chance.oneIn(3), times: 1 + chance.below(commitsMax) } as const)
      : anyFault(chance)
    return { line, fault, forMs }
  }
  return { line: of, fault: of === 'receivers' ? faultBeforeReceivers(chance) : anyFault(chance), forMs }
}

function anyFault(chance: Chance): Fault {
  const direction = chance.pick(['toServer', 'toClient'] as const)
  return chance.pick<Fault>([
    { kind: 'latency', ms: chance.below(100), jitterMs: chance.below(100) },
    { kind: 'bandwidth', bytesPerSecond: 20_000 + chance.below(80_000) },
    { kind: 'cut', direction, afterBytes: chance.below(2_000) },
    { kind: 'cut', direction, afterBytes: chance.below(2_000) },
    { kind: 'blackHole' },
    { kind: 'blackHole', direction },
    { kind: 'stall' },
    { kind: 'halfOpen', closed: chance.pick(['client', 'server'] as const) },
    { kind: 'refuse' },
    { kind: 'reset' },
    { kind: 'reset' },
  ])
}

/** Only faults that lose a request: a lost response would lead to a legitimate duplicate. */
function faultBeforeReceivers(chance: Chance): Fault {
  return chance.pick<Fault>([
    { kind: 'latency', ms: chance.below(50), jitterMs: chance.below(50) },
    { kind: 'cut', direction: 'toServer', afterBytes: chance.below(2_000) },
    { kind: 'blackHole', direction: 'toServer' },
    { kind: 'refuse' },
  ])
}
