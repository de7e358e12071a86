// `npm run proof:upgrade`: the packed version before this one is replaced under load, replica by replica, and comes back; then
// the schema goes ahead of both; then the same under everything that a business does. Ends with one line of JSON; exit code 1
// when a request failed that was not retryable, when something acknowledged was lost, made twice or came out of order, or when a
// version did not start where it has to, or did where it must not.

import { timeOfDay } from '../chaos-relay/verdict.ts'
import { readOptions, seedOption, text, wholeNumber } from '../rig/options.ts'
import { runProof } from '../rig/programs.ts'
import { runUpgrade } from './campaign.ts'
import { faultsOf } from './verdict.ts'

const options = readOptions('proof:upgrade', 'Replaces the version before this one under load, and comes back.', {
  times: wholeNumber('how often there and back', 1),
  seed: seedOption(),
  from: text('REF', 'the version before, in place of the newest release', undefined),
})
const { times, seed, from } = options
const say = (line: string) => console.log(`${timeOfDay(Date.now())} ${line}`)

console.log(`proof:upgrade: --times ${times} --seed ${seed}${from === undefined ? '' : ` --from ${from}`}`)
await runProof('proof:upgrade', async () => {
  const { examples, ...figures } = await runUpgrade({ times, seed, from, say })
  const faults = faultsOf(figures)
  for (const line of [...examples, ...faults]) console.error(`proof:upgrade: ${line}`)
  console.log(JSON.stringify({ proof: 'upgrade', ...figures }))
  process.exitCode = faults.length > 0 ? 1 : 0
})
