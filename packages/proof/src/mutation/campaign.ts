// Every mutant in turn, in an order drawn by a seed, until all were tried or the time is over.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inLanes } from '../planted-bugs/campaign.ts'
import type { Tree } from '../planted-bugs/tree.ts'
import { copyTree } from '../planted-bugs/tree-copy.ts'
import { chanceOf } from '../rig/chance.ts'
import { type Mutant, mutate } from './mutants.ts'
import type { TestsOf } from './tests.ts'
import { type CleanRun, runClean, runWithMutant } from './trial.ts'
import { refusedByTypes } from './types.ts'

/** `invalid`: TypeScript refuses it. */
export type Outcome = 'killed' | 'timeout' | 'survived' | 'invalid'
export type Tried = { mutant: Mutant; outcome: Outcome }

export type Campaign = { mutants: readonly Mutant[]; tried: readonly Tried[]; faults: readonly string[] }

export type CampaignOptions = {
  root: string
  tree: Tree
  files: readonly string[]
  testsOf: TestsOf
  seed: number
  msMax: number
  signal: AbortSignal
  /** Called for each mutant when its outcome is known. */
  tell: (tried: Tried) => void
}

const lanes = [0, 1, 2, 3] // on two cores: half of its time a test waits

/** @throws AbortError when the signal comes */
export async function runCampaign(options: CampaignOptions): Promise<Campaign> {
  const { root, tree, files, testsOf, seed, msMax, signal, tell } = options
  const deadline = performance.now() + msMax
  const { mutants, texts } = await mutate(root, files)
  using copy = copyTree(root, tree)
  const invalid = await refusedByTypes(copy.root, mutants)
  for (const [file, text] of texts) writeFileSync(join(copy.root, file), text)
  const clean = new Map<string, CleanRun>()
  await inLanes(lanes, new Set(files.flatMap(testsOf)).values(), async (_, file) => {
    clean.set(file, await runClean(copy.root, file, signal))
  })
  const faults = [...clean].flatMap(([file, { end }]) => (end === 'passed' ? [] : [`${file} fails without a mutant`]))
  const tried: Tried[] = []
  await inLanes(lanes, until(deadline, shuffled(mutants, seed)), async (_, mutant) => {
    const one = { mutant, outcome: await outcomeOf(mutant) }
    tried.push(one)
    tell(one)
  })
  return { mutants, tried, faults }

  async function outcomeOf(mutant: Mutant): Promise<Outcome> {
    if (invalid.has(mutant.id)) return 'invalid'
    for (const file of testsOf(mutant.file)) {
      const { reached, ms } = clean.get(file) ?? { ms: 0 }
      if (!reached?.has(mutant.id)) continue
      const end = await runWithMutant(copy.root, file, mutant.id, { ms, signal })
      if (end !== 'passed') return end === 'failed' ? 'killed' : 'timeout'
    }
    return 'survived'
  }
}

function shuffled<T>(list: readonly T[], seed: number): T[] {
  return list
    .map((item, index) => ({ item, lot: chanceOf(seed, index).below(0x1_0000_0000) }))
    .sort((left, right) => left.lot - right.lot)
    .map(({ item }) => item)
}

function* until<T>(deadline: number, list: Iterable<T>): Generator<T> {
  for (const one of list) {
    if (performance.now() > deadline) return
    yield one
  }
}
