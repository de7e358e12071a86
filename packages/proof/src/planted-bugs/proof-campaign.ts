// Plants each bug that a proof must catch in a copy of the tree, and runs the proof with its programs from the copy.

import { execFileSync } from 'node:child_process'
import { type CampaignOptions, lineOf, secondsSince, type Verdict } from './campaign.ts'
import { changesOf, type Proof, type ProvenBug } from './planted-bug.ts'
import { type ProofRun, runProof } from './proof-run.ts'
import { copyTree } from './tree-copy.ts'

/**
 * Runs each proof without a bug first: a proof that fails then catches nothing. One after the other, because proofs measure.
 * @throws AbortError when the signal comes
 */
export async function runProofs(options: CampaignOptions<ProvenBug>): Promise<Verdict[]> {
  const { root, tree, bugs, signal, say } = options
  if (bugs.length === 0) return []
  using copy = copyTree(root, tree)
  // A copy has no Git history, and the proof of upgrades reads the release before.
  const gitDirectory = execFileSync('git', ['rev-parse', '--absolute-git-dir'], { cwd: root, encoding: 'utf8' }).trim()
  const run = (proof: Proof): Promise<ProofRun> => runProof(copy.root, proof, { gitDirectory, signal })
  const sound = new Map<string, ProofRun>()
  const verdicts: Verdict[] = []
  for (const bug of bugs) {
    const command = [bug.provenBy.script, ...bug.provenBy.args].join(' ')
    const cleanBegan = performance.now()
    const clean = sound.get(command) ?? (await run(bug.provenBy))
    if (!sound.has(command)) say(`${command}: ${clean.summary} (${secondsSince(cleanBegan)} s)`)
    sound.set(command, clean)
    const began = performance.now()
    const verdict = { bug, ...(await tryBug(bug)), seconds: secondsSince(began) }
    verdicts.push(verdict)
    say(lineOf(verdict))

    async function tryBug({ provenBy }: ProvenBug): Promise<Pick<Verdict, 'caughtBy' | 'reason'>> {
      const isCatching = (fault: string): boolean => fault.includes(provenBy.fault ?? '')
      const isSound = clean.passed || (clean.faults.length > 0 && !clean.faults.some(isCatching))
      if (!isSound) return { caughtBy: null, reason: `${command} without it: ${clean.summary}` }
      using _planted = copy.plant(changesOf(bug))
      const { faults, summary } = await run(provenBy)
      const caughtBy = faults.findLast(isCatching) ?? null
      return { caughtBy, reason: caughtBy === null ? `${command}: ${summary}` : '' }
    }
  }
  return verdicts
}
