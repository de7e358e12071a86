// `npm run abuse -- [--rounds N] [--seconds S] [--only f1,f4]`: what one abusive business costs another. Each abuse is measured in turns
// with a calm window of the same length. Ends with one line of JSON; exit code 1 when a bound is passed.

import { parseArgs } from 'node:util'
import { bodiesAbuse, changesAbuse, interimAbuse, silentAbuse } from './abuses.ts'
import { openStage } from './stage.ts'
import { abuseNames, judge, type Pair } from './verdict.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '15' },
    only: { type: 'string', default: abuseNames.join(',') },
  },
})
const [rounds = 0, seconds = 0] = [values.rounds, values.seconds].map(Number)
if (![rounds, seconds].every((value) => Number.isSafeInteger(value) && value > 0)) {
  console.error('abuse takes --rounds and --seconds, whole numbers from 1.')
  process.exit(64)
}
const wanted = new Set(values.only.split(','))
const abuses = [bodiesAbuse, changesAbuse, silentAbuse, interimAbuse].filter(({ name }) => wanted.has(name))
if (abuses.length !== wanted.size) {
  console.error(`abuse: --only takes some of ${abuseNames.join(',')}.`)
  process.exit(64)
}
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
