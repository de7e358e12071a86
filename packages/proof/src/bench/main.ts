// `npm run bench -- [--pairs N] [--only R1,R4] [--history N] [--quick] [--cpu-prof DIR]`: the product against what it is made
// of. Prints a table, writes it into docs/performance.md when everything was measured, and ends with one line of JSON.
// Exit code 1 when rows and acknowledgements do not match, never because of a speed.

import { parseArgs } from 'node:util'
import { untilToldToStop } from '../../../server/src/app/process/signals.ts'
import { type Bench, fullScale, openBench, quickScale, type Scale } from './bench.ts'
import { measureHistory } from './history.ts'
import { measureIngest } from './ingest.ts'
import { describeMachine } from './machine.ts'
import { measurePromptness } from './promptness.ts'
import type { Measured } from './ratio.ts'
import { measureReading } from './reading.ts'
import { jsonOf, lineOf, tableOf, writePage } from './report.ts'
import { measureJobs, measureSending } from './sending.ts'
import { measureStarting } from './starting.ts'

/** What is measured together, because it shares its world or a member of its pairs. */
const measurements: readonly (readonly [ids: readonly string[], measure: (bench: Bench) => Promise<Measured>])[] = [
  // First: the files that the others delete, and the vacuuming of their rows, would be in its time.
  [['R10'], measureStarting],
  [['R1', 'R2', 'R3'], measureIngest],
  [['R4', 'R5'], measureSending],
  [['R6'], measureJobs],
  [['R7'], measureReading],
  [['R8'], measurePromptness],
  [['R9'], measureHistory],
]
const allIds = measurements.flatMap(([ids]) => ids)

const { values } = parseArgs({
  options: {
    pairs: { type: 'string' },
    only: { type: 'string', default: allIds.join(',') },
    history: { type: 'string' },
    quick: { type: 'boolean', default: false },
    'cpu-prof': { type: 'string' },
  },
})
const wanted = values.only.split(',')
const { scale, isValid } = scaleOf()
if (!isValid || wanted.some((id) => !allIds.includes(id))) {
  console.error(
    `bench takes --pairs N (from 1), --history N, --only of ${allIds.join(',')}, --quick and --cpu-prof DIR.`,
  )
  process.exit(64)
}

function scaleOf(): { scale: Scale; isValid: boolean } {
  const base = values.quick ? quickScale : fullScale
  const pairs = Number(values.pairs ?? base.pairs)
  const historyRows = Number(values.history ?? base.historyRows)
  const isValid = Number.isSafeInteger(pairs) && pairs > 0 && Number.isSafeInteger(historyRows) && historyRows >= 0
  return { scale: { ...base, pairs, historyRows }, isValid }
}

async function run(stack: AsyncDisposableStack): Promise<void> {
  const bench = await openBench(stack, scale, values['cpu-prof'])
  const machine = describeMachine(bench.databases.version)
  const measured: Measured = { ratios: [], speeds: [] }
  for (const [ids, measure] of measurements) {
    if (!ids.some((id) => wanted.includes(id))) continue
    bench.say(`${ids.join(', ')}: ${scale.pairs} pairs`)
    const { ratios, speeds } = await measure(bench)
    const asked = ratios.filter(({ id }) => wanted.includes(id))
    for (const ratio of asked) bench.say(`  ${lineOf(ratio)}`)
    measured.ratios.push(...asked)
    measured.speeds.push(...speeds)
  }
  const isWhole = !values.quick && wanted.length === allIds.length
  if (isWhole) await writePage(measured, machine, new Date().toISOString().slice(0, 10))
  console.log(`\n${tableOf(measured)}\n`)
  console.log(jsonOf(measured))
}

const stack = new AsyncDisposableStack()
try {
  const told = untilToldToStop().then((signal) => Promise.reject(new Error(`told to stop by ${signal}`)))
  await Promise.race([run(stack), told])
} catch (error) {
  console.error(error)
  process.exitCode = 1
} finally {
  await stack.disposeAsync()
}
// A measurement that was broken off may still wait for what has ended.
process.exit()
