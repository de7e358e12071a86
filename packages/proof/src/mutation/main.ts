// `npm run mutation`: changes the rules and the delivery of webhooks at random, in a copy of the tree. Prints the mutants that no
// test notices. Ends with one line of JSON; exit code 1 if a survivor is not among the judged ones. Runs on the database of
// scripts/test.js.

import { globSync } from 'node:fs'
import { matchesGlob, resolve } from 'node:path'
import { readTree } from '../planted-bugs/tree.ts'
import { positive, readOptions, refuse, seedOption, text } from '../rig/options.ts'
import { type Campaign, runCampaign, type Tried } from './campaign.ts'
import { judgedAs } from './judged.ts'
import { judged } from './judged-mutants.ts'
import type { Mutant } from './mutants.ts'
import { testChoice } from './tests.ts'

const root = resolve(import.meta.dirname, '../../../..')
const scope = ['packages/server/src/**/*.rules.ts', 'packages/server/src/webhooks/delivery/**/*.ts']

const options = readOptions('mutation', 'Mutants of the rules and of the delivery: a test must fail for each.', {
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
const stopped = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopped.abort())
const began = performance.now()
try {
  const campaign = await runCampaign({
    ...{ root, tree, files, testsOf: testChoice(new Map([...tree.sourcesOf('server'), ...tree.tests])) },
    ...{ seed: options.seed, msMax: options.minutes * 60_000, signal: stopped.signal },
    tell: ({ mutant, outcome }) => {
      if (outcome === 'survived' && !judgedAs(mutant, judged, tree)) console.log(lineOf(mutant))
    },
  })
  report(campaign)
} catch (error) {
  if (!stopped.signal.aborted) throw error
  process.exitCode = 130
}

function report({ mutants, tried, faults: broken }: Campaign): void {
  const faults = [...broken, ...tried.flatMap(faultOf)]
  for (const fault of faults) console.error(`mutation: ${fault}`)
  const count = (outcome: Tried['outcome']): number => tried.filter((one) => one.outcome === outcome).length
  const figures = {
    ...{ files: files.length, mutants: mutants.length, tried: tried.length },
    ...{ killed: count('killed'), timeout: count('timeout'), invalid: count('invalid'), survived: count('survived') },
  }
  const durationMs = Math.round(performance.now() - began)
  console.log(JSON.stringify({ proof: 'mutation', options, ...figures, durationMs, faults: faults.length }))
  process.exitCode = faults.length > 0 ? 1 : 0
}

function faultOf({ mutant, outcome }: Tried): string[] {
  const isJudged = judgedAs(mutant, judged, tree) !== undefined
  if (outcome === 'survived') return isJudged ? [] : [`survives: ${lineOf(mutant)}`]
  return isJudged ? [`is judged to survive, and is ${outcome}: ${lineOf(mutant)}`] : []
}

function lineOf({ file, line, original, replacement }: Mutant): string {
  const short = (code: string): string => code.replace(/\s+/g, ' ')
  return `${file}:${line}: ${short(original)} → ${short(replacement)}`
}
