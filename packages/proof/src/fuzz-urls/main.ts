// `npm run fuzz:urls -- --count N [--seed S] [--start I]`: no hostile address may make the sender connect. Ends with one
// line of JSON; exit code 1 when a connection was made, when something was not refused, or when the run proves nothing.

import { parseArgs } from 'node:util'
import { runCampaign } from './campaign.ts'
import { faultsOf } from './verdict.ts'

const countDefault = '2000'

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: countDefault },
    seed: { type: 'string', default: String(Date.now() % 0x1_0000_0000) },
    start: { type: 'string', default: '0' },
  },
})
const [count, seed, start] = [values.count, values.seed, values.start].map(Number)
if (![count, seed, start].every(Number.isSafeInteger) || count === undefined || count < 1) {
  console.error('fuzz:urls takes --count N (from 1), --seed S and --start I, all whole numbers.')
  process.exit(64)
}

console.log(`fuzz:urls: ${count} attempts, --seed ${seed}`)
try {
  const { examples, ...figures } = await runCampaign({ count, seed: seed ?? 0, start: start ?? 0 })
  const faults = faultsOf(figures)
  for (const line of [...examples, ...faults]) console.error(`fuzz:urls: ${line}`)
  console.log(JSON.stringify(figures))
  process.exitCode = faults.length > 0 ? 1 : 0
} catch (error) {
  // Not even the canary could be reached, or nothing could be sent: that is no success.
  console.error(error)
  console.log(JSON.stringify({ attempts: 0, connections: null, seed }))
  process.exitCode = 1
}
