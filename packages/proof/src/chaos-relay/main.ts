// `npm run chaos:relay -- --kills N [--rate R] [--seed S] [--minutes M]`: servers and database die at random times under load.
// Ends with one line of JSON; exit code 1 when something was lost, reordered, misnumbered, or repeated more than once a kill.
// What a kill repeats is the rate times the time from a receiver's answer to its commit: a slow machine carries less.

import { parseArgs } from 'node:util'
import { runChaos } from './campaign.ts'
import { faultsOf, timeOfDay } from './verdict.ts'

const killsDefault = 10
const secondsPerKill = 4

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: String(killsDefault) },
    seed: { type: 'string', default: String(Date.now() % 0x1_0000_0000) },
    minutes: { type: 'string' },
    rate: { type: 'string', default: '100' },
  },
})
const kills = Number(values.kills)
const seed = Number(values.seed)
const eventsPerSecond = Number(values.rate)
const minutes = Number(values.minutes ?? (kills * secondsPerKill) / 60)
if (
  !Number.isSafeInteger(kills) ||
  kills < 1 ||
  !Number.isSafeInteger(seed) ||
  !(minutes > 0) ||
  !(eventsPerSecond > 0)
) {
  console.error(
    'chaos:relay takes --kills N (from 1), --seed S, both whole numbers, --minutes M and --rate R (events a second; above 0).',
  )
  process.exit(64)
}

console.log(`chaos:relay: --kills ${kills} --seed ${seed} --minutes ${minutes.toFixed(2)} --rate ${eventsPerSecond}`)
const { examples, ...figures } = await runChaos({
  kills,
  seed,
  minutes,
  eventsPerSecond,
  say: (line) => console.log(`${timeOfDay(Date.now())} ${line}`),
})
const faults = faultsOf(kills, figures)
for (const line of [...examples, ...faults]) console.error(`chaos:relay: ${line}`)
console.log(JSON.stringify(figures))
process.exitCode = faults.length > 0 ? 1 : 0
