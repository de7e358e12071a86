// `npm run rolling-restart -- --times N [--seed S] [--delay MS]`: each of three replicas is replaced N times under load.
// Ends with one line of JSON; exit code 1 when a request failed that was not retryable, or a replica did not end well.
// `--delay 0` shows what the time between "not ready" and the end is for: then it may fail.

import { parseArgs } from 'node:util'
import { faultsOf, runRollingRestart } from './campaign.ts'

const { values } = parseArgs({
  options: {
    times: { type: 'string', default: '2' },
    seed: { type: 'string', default: String(Date.now() % 0x1_0000_0000) },
    delay: { type: 'string', default: '400' },
  },
})
const times = Number(values.times)
const seed = Number(values.seed)
const delayMs = Number(values.delay)
if (!Number.isSafeInteger(times) || times < 1 || !Number.isSafeInteger(seed) || !Number.isSafeInteger(delayMs)) {
  console.error('rolling-restart takes --times N (from 1), --seed S and --delay MS: whole numbers.')
  process.exit(64)
}

console.log(`rolling-restart: --times ${times} --seed ${seed} --delay ${delayMs}`)
const report = await runRollingRestart({ times, seed, delayMs, say: (line) => console.log(line) })
const { examples, ...figures } = report
const faults = faultsOf(report)
for (const line of [...examples, ...faults]) console.error(`rolling-restart: ${line}`)
console.log(JSON.stringify(figures))
process.exitCode = faults.length > 0 ? 1 : 0
