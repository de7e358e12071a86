// `npm run bench`: the product against what it is made of. Prints tables, writes them into FIGURES.md and /docs/run/scale when
// everything was measured, and ends with one line of JSON. Exit code 1 when rows and acknowledgements do not match, never for a speed.

import { stopRequested } from '../../../server/src/process/signals.ts'
import { flag, readOptions, someOf, text, wholeNumber } from '../rig/options.ts'
import { type Bench, fullScale, openBench, quickScale, type Scale } from './bench.ts'
import { type Besides, watchMachine } from './besides.ts'
import { measureCalls } from './figures/calls.ts'
import { measureCost } from './figures/cost.ts'
import { measureHistory } from './figures/history.ts'
import { measureIngest } from './figures/ingest.ts'
import { measureMemory } from './figures/memory.ts'
import { measureProcesses } from './figures/processes.ts'
import { measurePromptness } from './figures/promptness.ts'
import { measureJobs, measureSending } from './figures/sending.ts'
import { measureStarting } from './figures/starting.ts'
import { describeMachine } from './machine.ts'
import type { Measured } from './ratio.ts'
import { besidesLine, jsonOf, lineOf, tablesOf, writeFigures } from './report.ts'

/** Measurements that share a world or a member of a pair run together. */
const measurements: readonly (readonly [id: string, measure: (bench: Bench) => Promise<Measured>])[] = [
  // First: the files that the others delete, and the vacuuming of their rows, would be in its time.
  ['P7', measureStarting],
  ['P7', measureMemory],
  ['P2', measureIngest],
  ['P3', measureSending],
  ['P3', measureJobs],
  ['P4', measurePromptness],
  ['P5', measureHistory],
  ['P6', measureCalls],
  ['P6', measureProcesses],
  ['P8', measureCost],
]
const allIds = [...new Set(measurements.map(([id]) => id))]

const options = readOptions('bench', 'Measures the product against what it is made of.', {
  pairs: wholeNumber('pairs of a measurement', undefined),
  only: someOf('writes no figures into files and measures only some of', allIds),
  history: wholeNumber('rows of history', undefined, 0),
  quick: flag('half a minute: does it work, do the rows match; no speeds'),
  'cpu-prof': text('DIR', 'writes a CPU profile of each process there', undefined),
})
const { only: wanted, quick } = options
const base = quick ? quickScale : fullScale
const scale: Scale = {
  ...base,
  pairs: options.pairs ?? base.pairs,
  historyRows: options.history ?? base.historyRows,
}

async function run(stack: AsyncDisposableStack): Promise<void> {
  const bench = await openBench(stack, scale, options['cpu-prof'])
  const machine = describeMachine(bench.databases.version)
  const measured: Measured = { ratios: [], speeds: [] }
  const besides: Besides[] = []
  for (const [id, measure] of measurements) {
    if (!wanted.includes(id)) continue
    bench.say(`${id}: ${scale.pairs} pairs`)
    const watched = watchMachine()
    const { ratios, speeds, costs } = await measure(bench)
    for (const ratio of ratios) bench.say(`  ${lineOf(ratio)}`)
    const other = watched()
    if (other) {
      besides.push(other)
      bench.say(`  ${besidesLine([other])}`)
    }
    measured.ratios.push(...ratios)
    measured.speeds.push(...speeds)
    if (costs) measured.costs = costs
  }
  const isWhole = !quick && wanted.length === allIds.length
  if (isWhole) await writeFigures(measured, machine, besides, new Date().toISOString().slice(0, 10))
  console.log(`\n${tablesOf(measured).join('\n\n')}\n`)
  console.log(jsonOf(measured, besides))
}

const stack = new AsyncDisposableStack()
try {
  const told = stopRequested().then((signal) => Promise.reject(new Error(`told to stop by ${signal}`)))
  await Promise.race([run(stack), told])
} catch (error) {
  console.error(error)
  process.exitCode = 1
} finally {
  await stack.disposeAsync()
}
// A measurement that was broken off may still wait for what has ended.
process.exit()
