// `npm run chaos -- --kills N | --minutes M [--seed S] [--gap MS]`: the whole product under load, while its replicas, its
// PostgreSQL and its provider die and every line between them misbehaves. Ends with one line of JSON; exit code 1 when an
// acknowledged thing was lost, made twice or stuck, when more was repeated than was killed, or another promise was broken.

import { parseArgs } from 'node:util'
import { timeOfDay } from '../chaos-relay/verdict.ts'
import { runChaos } from './campaign.ts'
import { faultsOf } from './verdict.ts'

const killsDefault = 20
/** Below it the machine mostly starts replicas, and little is done between two kills. */
const gapMsDefault = 1_000
const violationsShownMax = 40

const { values } = parseArgs({
  options: {
    kills: { type: 'string' },
    minutes: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 0x1_0000_0000) },
    gap: { type: 'string', default: String(gapMsDefault) },
  },
})
const gapMs = Number(values.gap)
const seed = Number(values.seed)
const kills =
  values.minutes === undefined
    ? Number(values.kills ?? killsDefault)
    : Math.round((Number(values.minutes) * 60_000) / gapMs)
const areUsable = Number.isSafeInteger(kills) && kills >= 1 && Number.isSafeInteger(seed) && gapMs > 0
if (!areUsable || (values.minutes !== undefined && values.kills !== undefined)) {
  console.error('chaos takes --kills N (from 1) or --minutes M, --seed S (a whole number), and --gap MS between kills.')
  process.exit(64)
}

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
