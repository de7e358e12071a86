// `npm run chaos`: the whole product under load, while its replicas, its PostgreSQL and its provider die and every connection
// between them fails. Ends with one line of JSON; exit code 1 when something acknowledged was lost, made twice or stuck, when
// more was repeated than kills and faults account for, or when another promise was broken.

import { timeOfDay } from '../chaos-relay/verdict.ts'
import { positive, readOptions, refuse, seedOption, wholeNumber } from '../rig/options.ts'
import { runChaos } from './campaign.ts'
import { faultsOf } from './verdict/verdict.ts'

const killsDefault = 20
const violationsShownMax = 40

const options = readOptions(
  'chaos',
  'Runs the whole product under load, while replicas, PostgreSQL and the provider die and every connection fails.',
  {
    kills: wholeNumber(`how many times something is killed, ${killsDefault} by default`, undefined),
    minutes: positive('length of the run, in place of --kills', undefined),
    seed: seedOption(),
    // Below a second the machine mostly starts replicas, and little is done between two kills.
    gap: positive('milliseconds between two kills', 1_000),
  },
)
const { seed, gap: gapMs, minutes } = options
if (minutes !== undefined && options.kills !== undefined) refuse('chaos', 'give --kills or --minutes, not both')
const kills = options.kills ?? (minutes === undefined ? killsDefault : Math.ceil((minutes * 60_000) / gapMs))

const interrupt = new AbortController()
process.once('SIGINT', () => interrupt.abort())
process.once('SIGTERM', () => interrupt.abort())
const say = (line: string) => console.log(`${timeOfDay(Date.now())} ${line}`)

console.log(`chaos: --kills ${kills} --seed ${seed} --gap ${gapMs}`)
const run = await runChaos({ kills, seed, gapMs, say, signal: interrupt.signal }).catch((error: unknown) => {
  if (!interrupt.signal.aborted) throw error
  console.error('chaos: interrupted')
  process.exit(130)
})
const faults = faultsOf(run.figures)
for (const line of [...run.violations.slice(0, violationsShownMax), ...faults]) console.error(`chaos: ${line}`)
console.log(JSON.stringify(run.figures))
process.exitCode = faults.length > 0 ? 1 : 0
