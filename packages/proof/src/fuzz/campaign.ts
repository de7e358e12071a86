// Attacks a real server with Schemathesis, and adds up what its checks, the server's log and its metrics show.

import { dataOf, operations } from '../../../server/test/caller.ts'
import { echoIn } from './marks.ts'
import { leftOut, requestsToAll, runSchemathesis, type SchemathesisRun } from './schemathesis.ts'
import { type Walked, walk } from './walk.ts'
import { type FuzzWorld, openUnlimitedWorld } from './world.ts'

export type Figures = Pick<SchemathesisRun, 'found' | 'excepted' | 'checked'> & {
  requests: number
  /** Operations without any success. */
  neverSucceeded: string[]
  durationMs: number
}

/** `shown`: the failures as Schemathesis prints them; null without any. */
export type Report = { figures: Figures; faults: string[]; shown: string | null }

export async function attackWithSchemathesis(
  requests: number,
  seed: number,
  signal = new AbortController().signal,
): Promise<Report> {
  const beganMs = performance.now()
  await using world = await openUnlimitedWorld()
  const [own, foreign] = await Promise.all([walk(world), walk(world)])
  const { statuses, shown, ...counted } = await runSchemathesis(world, [own, foreign], { requests, seed, signal })
  await endWhatOthersName(own)
  const spared = leftOut(requests, seed)
  const figures = {
    ...counted,
    requests: Object.values(statuses)
      .flatMap(Object.values<number>)
      .reduce((sum, count) => sum + count, 0),
    neverSucceeded: operations.map(({ id }) => id).filter((id) => !spared.includes(id) && !statuses[id]?.['200']),
    durationMs: Math.round(performance.now() - beganMs),
  }
  const faults = [...faultsOf(figures, requests >= requestsToAll), ...(await lookBehind(world))]
  if (shown !== null && faults.length === 0) faults.push('Schemathesis failed: see its output')
  return { figures, faults, shown }
}

/** Calls the operations of `calledLast`. */
async function endWhatOthersName({ business }: Walked): Promise<void> {
  await business.call('DELETE', '/v0/webhook-url')
  dataOf(await business.call('POST', '/v0/sandbox/reset'))
}

/** Names of counts in `checked`: a run over all operations proves less than it promises if one is missing. */
const checks = ['repeats', 'created', 'deleted', 'foreign', 'credentials'] as const

export function faultsOf(
  { found, checked, neverSucceeded }: Pick<Figures, 'found' | 'checked' | 'neverSucceeded'>,
  isOfAll: boolean,
): string[] {
  // A part of the operations gets few cases each: some need an object in a state that the first case may have ended.
  const failed = isOfAll ? neverSucceeded : []
  const unchecked = isOfAll ? checks.filter((check) => !checked[check]) : []
  return [
    ...Object.entries(found).map(([what, count]) => `${count} times: ${what}`),
    ...unchecked.map((check) => `Schemathesis checked nothing for ${check}`),
    ...(failed.length > 0 ? [`Schemathesis never got a success of ${failed.join(', ')}`] : []),
  ]
}

async function lookBehind(world: FuzzWorld): Promise<string[]> {
  const echoed = echoIn(await (await fetch(`${world.facts.baseUrl}/metrics`)).text())
  return [
    ...(world.isRunning() ? [] : ['the server ended']),
    ...world.logErrors.map((line) => `logged an error: ${line}`),
    ...world.logEchoes.map((line) => `the log repeats what was sent: ${line}`),
    ...(echoed ? [`/metrics repeats what was sent: ${echoed}`] : []),
  ]
}
