// `npm run crash-points`: kills the server with SIGKILL at every await of every write path, starts it again, and checks that
// everything or nothing has happened. With `--freeze` a request or a loop stops there until a second server has ended the repeat
// or done the work: there must be one effect. Ends with one line of JSON; exit code 1 unless every point that was tried recovered.

import { flag, readOptions, refuse, seedOption, text, wholeNumber } from '../rig/options.ts'
import { runCrashPoints } from './campaign.ts'

const { path, point, sample, seed, every, freeze } = readOptions(
  'crash-points',
  'Kills the server at every await of every write path, starts it again, and checks that everything or nothing happened.',
  {
    path: text('NAME', 'only this path', undefined),
    point: text('K', 'only this point of --path, by its number or how its name begins', undefined),
    sample: wholeNumber('only so many points, drawn by --seed', undefined),
    freeze: flag('a request or a loop stops there until a second server has done its work, and then continues'),
    every: flag('also the points that differ from another one in nothing visible'),
    seed: seedOption(),
  },
)
if (point !== undefined && path === undefined) refuse('crash-points', '--point needs --path')

const interrupt = new AbortController()
process.once('SIGINT', () => interrupt.abort())
console.log(
  `crash-points:${freeze ? ' --freeze' : ''} --seed ${seed}${sample === undefined ? '' : ` --sample ${sample}`}`,
)
const { paths, awaits, enumerated, reports, durationMs } = await runCrashPoints({
  ...(path === undefined ? {} : { path }),
  ...(point === undefined ? {} : { point }),
  ...(sample === undefined ? {} : { sample }),
  seed,
  every,
  freeze,
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
