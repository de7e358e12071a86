// `npm run planted-bugs`: each bug of the list must be caught by the tests or the proof that it names. Ends with one line of
// JSON; exit code 1 unless all are caught. Runs on the database of scripts/test.js. `--check` needs no database.

import { execFileSync } from 'node:child_process'
import { resolve } from 'node:path'
import { flag, readOptions, refuse, text, wholeNumber } from '../rig/options.ts'
import { bugs as all } from './bugs.ts'
import { runCampaign, type Verdict } from './campaign.ts'
import { faultsOfList } from './check.ts'
import { isProven, isTested, type PlantedBug } from './planted-bug.ts'
import { runProofs } from './proof-campaign.ts'
import { rowsWithoutBug } from './rows.ts'
import { draw } from './sample.ts'
import { readTree } from './tree.ts'

const root = resolve(import.meta.dirname, '../../../..')

const options = readOptions('planted-bugs', 'Plants each bug in a copy of the tree: a test or a proof must fail.', {
  check: flag('only checks that each bug has one place, and its tests exist'),
  only: text('A,B', 'only these bugs', undefined),
  proofs: flag('only the bugs that proofs must catch; left out without this option'),
  sample: wholeNumber('only so many bugs that tests must catch, drawn by --seed', undefined),
  seed: wholeNumber('draws other bugs; by default the commit decides', undefined, 0),
})
const tree = readTree(root)
const faults = faultsOfList(all, tree)
for (const fault of faults) console.error(`planted-bugs: ${fault}`)
for (const line of rowsWithoutBug(all)) console.log(`no planted bug breaks row ${line}`)
if (faults.length > 0) process.exitCode = 1
else if (!options.check) await plant(chosen())

async function plant(bugs: readonly PlantedBug[]): Promise<void> {
  const stopped = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopped.abort())
  const campaign = { root, tree, signal: stopped.signal, say: (line: string) => console.log(line) }
  try {
    const tested = await runCampaign({ ...campaign, bugs: bugs.filter(isTested) })
    const verdicts = [...tested, ...(await runProofs({ ...campaign, bugs: bugs.filter(isProven) }))]
    printTable(verdicts)
    const caught = verdicts.filter(({ caughtBy }) => caughtBy !== null).length
    console.log(JSON.stringify({ planted: bugs.length, caught }))
    process.exitCode = caught === bugs.length ? 0 : 1
  } catch (error) {
    if (!stopped.signal.aborted) throw error
    process.exitCode = 130
  }
}

function chosen(): readonly PlantedBug[] {
  const { only, proofs, sample: count, seed = seedOfCommit() } = options
  if (only !== undefined)
    return only
      .split(',')
      .map((name) => all.find((bug) => bug.name === name) ?? refuse('planted-bugs', `there is no bug "${name}"`))
  if (proofs) return all.filter(isProven)
  const tested = all.filter(isTested)
  if (count === undefined) return tested
  console.log(`planted-bugs: --sample ${count} --seed ${seed}`)
  return draw(tested, count, seed)
}

/** Another commit draws other bugs: in time all have their turn. */
function seedOfCommit(): number {
  return Number.parseInt(execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' }).slice(0, 8), 16)
}

function printTable(verdicts: readonly Verdict[]): void {
  const width = Math.max(...verdicts.map(({ bug }) => bug.name.length), 0)
  for (const { bug, caughtBy, reason, seconds } of verdicts) {
    const outcome = caughtBy === null ? `NOT CAUGHT: ${bug.promise} (${reason})` : caughtBy
    console.log(`${bug.name.padEnd(width)}  ${seconds.toFixed(1).padStart(5)} s  ${outcome}`)
  }
}
