// `npm run planted-bugs`: each bug of the list must be caught by the tests it names. Ends with one line of JSON; exit code 1
// unless all are caught. Runs on the database of scripts/test.js.

import { execFileSync } from 'node:child_process'
import { resolve } from 'node:path'
import { readOptions, refuse, text, wholeNumber } from '../rig/options.ts'
import { bugs as all } from './bugs.ts'
import { runCampaign, type Verdict } from './campaign.ts'
import { faultsOfList, type PlantedBug } from './planted-bug.ts'
import { draw } from './sample.ts'

const root = resolve(import.meta.dirname, '../../../..')

const options = readOptions('planted-bugs', 'Plants each bug in a copy of the tree: a test must fail.', {
  only: text('A,B', 'only these bugs', undefined),
  sample: wholeNumber('only so many bugs, drawn by --seed', undefined),
  seed: wholeNumber('draws other bugs; by default the commit decides', undefined, 0),
})
const bugs = chosen()
const faults = faultsOfList(all, root)
for (const fault of faults) console.error(`planted-bugs: ${fault}`)
const stopped = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopped.abort())

try {
  // A list that does not fit the tree proves nothing.
  const verdicts =
    faults.length > 0 ? [] : await runCampaign({ root, bugs, signal: stopped.signal, say: (line) => console.log(line) })
  printTable(verdicts)
  const caught = verdicts.filter(({ caughtBy }) => caughtBy !== null).length
  console.log(JSON.stringify({ planted: bugs.length, caught }))
  process.exitCode = caught === bugs.length ? 0 : 1
} catch (error) {
  if (!stopped.signal.aborted) throw error
  process.exitCode = 130
}

function chosen(): readonly PlantedBug[] {
  const { only, sample: count, seed = seedOfCommit() } = options
  if (only !== undefined)
    return only
      .split(',')
      .map((name) => all.find((bug) => bug.name === name) ?? refuse('planted-bugs', `there is no bug "${name}"`))
  if (count === undefined) return all
  console.log(`planted-bugs: --sample ${count} --seed ${seed}`)
  return draw(all, count, seed)
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
