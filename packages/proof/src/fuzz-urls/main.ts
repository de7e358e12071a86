// `npm run fuzz:urls`: no hostile address may make the sender connect. Ends with one line of JSON; exit code 1 when a connection
// was made, when something was not refused, or when the run proves nothing.

import { readOptions, seedOption, wholeNumber } from '../rig/options.ts'
import { runCampaign } from './campaign.ts'
import { faultsOf } from './verdict.ts'

const { count, seed, start } = readOptions('fuzz:urls', 'Tries hostile webhook addresses against the real sender.', {
  count: wholeNumber('addresses to try', 2_000),
  seed: seedOption(),
  start: wholeNumber('the first address of the seed', 0, 0),
})

console.log(`fuzz:urls: ${count} attempts, --seed ${seed}`)
try {
  const { examples, ...figures } = await runCampaign({ count, seed, start })
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
