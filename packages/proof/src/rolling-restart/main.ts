// `npm run rolling-restart`: each of three replicas is replaced several times under load. Ends with one line of JSON; exit code
// 1 when a request failed that was not retryable, or when a replica did not end well.

import { readOptions, seedOption, wholeNumber } from '../rig/options.ts'
import { faultsOf, runRollingRestart } from './campaign.ts'

const options = readOptions('rolling-restart', 'Replaces each of three replicas under load.', {
  times: wholeNumber('how often each replica is replaced', 2),
  seed: seedOption(),
  delay: wholeNumber('milliseconds from "not ready" to the end; with 0 some requests may fail', 400, 0),
})
const { times, seed, delay: delayMs } = options

console.log(`rolling-restart: --times ${times} --seed ${seed} --delay ${delayMs}`)
const report = await runRollingRestart({ times, seed, delayMs, say: (line) => console.log(line) })
const { examples, ...figures } = report
const faults = faultsOf(report)
for (const line of [...examples, ...faults]) console.error(`rolling-restart: ${line}`)
console.log(JSON.stringify(figures))
process.exitCode = faults.length > 0 ? 1 : 0
