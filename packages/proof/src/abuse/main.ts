// `npm run abuse`: what one abusive business costs another. Each abuse is measured in turns with a calm window of the same
// length. Ends with one line of JSON; exit code 1 when a bound is passed.

import { readOptions, someOf, wholeNumber } from '../rig/options.ts'
import { bodiesAbuse, changesAbuse, eventsAbuse, interimAbuse, metricsAbuse, silentAbuse } from './abuses.ts'
import { openStage } from './stage.ts'
import { abuseNames, judge, type Pair } from './verdict.ts'

const { rounds, seconds, only } = readOptions('abuse', 'Shows what one abusive business costs another.', {
  rounds: wholeNumber('pairs of a calm and an abused window', 5),
  seconds: wholeNumber('length of a window', 15),
  only: someOf('tries only some of', abuseNames),
})
const all = [bodiesAbuse, changesAbuse, silentAbuse, interimAbuse, metricsAbuse, eventsAbuse]
const abuses = all.filter(({ name }) => only.includes(name))
console.log(`abuse: --rounds ${rounds} --seconds ${seconds}`)

const pairs: Pair[] = []
await using stage = await openStage()
for (const abuse of abuses) {
  const measure = await abuse.prepare(stage)
  // The first seconds of a path are slower than all that follow: of the victim's, and of the abuser's.
  for (const isAbused of [false, true]) await measure(isAbused, 5)
  for (let round = 0; round < rounds; round++) {
    const pair = { name: abuse.name, calm: await measure(false, seconds), abused: await measure(true, seconds) }
    pairs.push(pair)
    console.log(JSON.stringify({ round, ...pair }))
  }
}
const { faults, ...figures } = judge(pairs, { serverErrors: stage.serverErrors(), deadlocks: await stage.deadlocks() })
for (const fault of faults) console.error(`abuse: ${fault}`)
console.log(JSON.stringify({ check: 'abuse', ...figures }))
process.exitCode = faults.length > 0 ? 1 : 0
