// `npm run crash-points -- [--path NAME] [--point K] [--sample N] [--seed S] [--every]`: kills the server with SIGKILL at every await of
// every write path, starts it again, and checks that everything or nothing has happened. Ends with one line of JSON; exit
// code 1 unless every point that was tried recovered.

import { parseArgs } from 'node:util'
import { runCrashPoints } from './campaign.ts'

const { values } = parseArgs({
  options: {
    path: { type: 'string' },
    point: { type: 'string' },
    sample: { type: 'string' },
    every: { type: 'boolean', default: false },
    seed: { type: 'string', default: String(Date.now() % 0x1_0000_0000) },
  },
})
const { path, point } = values
const seed = Number(values.seed)
const sample = values.sample === undefined ? undefined : Number(values.sample)
const isWrong = !Number.isSafeInteger(seed) || (sample !== undefined && !(Number.isSafeInteger(sample) && sample > 0))
if (isWrong || (point !== undefined && path === undefined)) {
  console.error(
    'crash-points takes --path NAME, --point K (with --path; its number, or its name), --sample N (from 1) and --seed S.',
  )
  process.exit(64)
}

const interrupt = new AbortController()
process.once('SIGINT', () => interrupt.abort())
console.log(`crash-points: --seed ${seed}${sample === undefined ? '' : ` --sample ${sample}`}`)
const { paths, awaits, enumerated, reports, durationMs } = await runCrashPoints({
  ...(path === undefined ? {} : { path }),
  ...(point === undefined ? {} : { point }),
  ...(sample === undefined ? {} : { sample }),
  seed,
  every: values.every,
  say: (line) => console.log(line),
  signal: interrupt.signal,
})
const ran = reports.filter(({ reached }) => reached)
const unreached = reports.filter(({ reached, faults }) => !reached && faults.length === 0)
for (const { death } of unreached) console.log(`${death.story.name}: did not come to ${death.point}`)
const figures = {
  paths,
  points: ran.length,
  recovered: ran.filter(({ faults }) => faults.length === 0).length,
  again: ran.filter(({ again }) => again).length,
  unreached: unreached.length,
  enumerated,
  awaits,
  ...(interrupt.signal.aborted ? { interrupted: true } : {}),
  seed,
  durationMs,
}
console.log(JSON.stringify(figures))
const failed = reports.some(({ faults }) => faults.length > 0)
process.exitCode = failed || ran.length === 0 || interrupt.signal.aborted ? 1 : 0
