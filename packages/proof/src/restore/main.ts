// `npm run proof:restore`: PostgreSQL 15 is lost under load and brought back to a point in time, and a dump is brought back
// under another login. Ends with one line of JSON; exit code 1 when something acknowledged before that point is missing, when
// a number is given out twice, or when the deployment is not level with the provider again.

import { timeOfDay } from '../chaos-relay/verdict.ts'
import { positive, readOptions, seedOption } from '../rig/options.ts'
import { runProof } from '../rig/programs.ts'
import { runRestore } from './campaign.ts'
import { faultsOf } from './verdict.ts'

const script = 'proof:restore'
const options = readOptions(script, 'Restores a base backup to a point in time, and a dump under another login.', {
  seconds: positive('length of each part of the load', 8),
  rate: positive('events a second', 20),
  calls: positive('API calls a second', 8),
  seed: seedOption(),
})
const { seconds, rate, calls, seed } = options
const say = (line: string): void => console.log(`${timeOfDay(Date.now())} ${line}`)

console.log(`${script}: --seconds ${seconds} --rate ${rate} --calls ${calls} --seed ${seed}`)
await runProof(script, async () => {
  const startedAt = performance.now()
  const report = await runRestore({ seconds, eventsPerSecond: rate, callsPerSecond: calls, seed, say })
  const faults = faultsOf(report)
  for (const line of faults) console.error(`${script}: ${line}`)
  const durationMs = Math.round(performance.now() - startedAt)
  console.log(JSON.stringify({ proof: 'restore', seed, ...report, faults: faults.length, durationMs }))
  if (faults.length > 0) process.exitCode = 1
})
