// `npm run mutation`: changes the rules, the readers of forms and the delivery of webhooks at random, in a copy of the tree. Prints the mutants that no
// test notices, and ends with one line of JSON. Exit code 1 only if the run itself is worth nothing, because a sample always finds
// another survivor. Runs on the database of scripts/test.js.

import { globSync } from 'node:fs'
import { matchesGlob, resolve } from 'node:path'
import { readTree } from '../planted-bugs/tree.ts'
import { positive, readOptions, refuse, seedOption, text } from '../rig/options.ts'
import { type Campaign, runCampaign, type Tried } from './campaign.ts'
import { judgeOf, readJudged } from './judged.ts'
import type { Mutant } from './mutants.ts'
import { testChoice } from './tests.ts'

const root = resolve(import.meta.dirname, '../../../..')
const scope = [
  ...['packages/server/src/**/*.rules.ts', 'packages/server/src/webhooks/delivery/**/*.ts'],
  'packages/forms/src/*.ts',
]

const options = readOptions('mutation', 'Mutants of the rules and of the delivery that no test notices.', {
  minutes: positive('when to stop', 60),
  files: text('GLOB', 'only these of the files, e.g. "**/deposits/*"', '**'),
  seed: seedOption(),
})
const files = globSync(scope, { cwd: root })
  .filter((file) => !file.endsWith('.test.ts') && matchesGlob(file, options.files))
  .sort()
if (files.length === 0) refuse('mutation', `"${options.files}" matches none of ${scope.join(', ')}`)
console.log(`npm run mutation -- --minutes ${options.minutes} --files '${options.files}' --seed ${options.seed}`)

const tree = readTree(root)
const isJudged = judgeOf(readJudged(), tree)
const stopped = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopped.abort())
const began = performance.now()
try {
  const campaign = await runCampaign({
    ...{ root, tree, files, testsOf: testChoice(tree) },
    ...{ seed: options.seed, msMax: options.minutes * 60_000, signal: stopped.signal },
    tell: ({ mutant, outcome }) => {
      if (outcome === 'survived' && !isJudged(mutant)) console.log(lineOf(mutant))
    },
  })
  report(campaign)
} catch (error) {
  if (!stopped.signal.aborted) throw error
  process.exitCode = 130
}

function report({ mutants, tried, faults: broken }: Campaign): void {
  const survivors = tried.filter(({ outcome }) => outcome === 'survived').map(({ mutant }) => mutant)
  const open = Object.groupBy(
    survivors.filter((mutant) => !isJudged(mutant)),
    ({ file }) => file,
  )
  for (const [file, list = []] of Object.entries(open).sort()) console.log(`${file}: ${list.length}`)
  const faults = [...broken, ...tried.flatMap(faultOf), ...(tried.length > 0 ? [] : ['no mutant was tried'])]
  for (const fault of faults) console.error(`mutation: ${fault}`)
  const count = (outcome: Tried['outcome']): number => tried.filter((one) => one.outcome === outcome).length
  const figures = {
    ...{ files: files.length, mutants: mutants.length, tried: tried.length },
    ...{ killed: count('killed'), timeout: count('timeout'), invalid: count('invalid'), survived: survivors.length },
    judged: survivors.filter(isJudged).length,
  }
  const durationMs = Math.round(performance.now() - began)
  console.log(JSON.stringify({ proof: 'mutation', options, ...figures, durationMs, faults: faults.length }))
  process.exitCode = faults.length > 0 ? 1 : 0
}

/** A slow machine makes timeouts: those do not tell against an entry. */
function faultOf({ mutant, outcome }: Tried): string[] {
  const isWrong = (outcome === 'killed' || outcome === 'invalid') && isJudged(mutant)
  return isWrong ? [`is judged to survive, and is ${outcome}: ${lineOf(mutant)}`] : []
}

function lineOf({ file, line, original, replacement }: Mutant): string {
  const short = (code: string): string => code.replace(/\s+/g, ' ')
  return `${file}:${line}: ${short(original)} → ${short(replacement)}`
}
