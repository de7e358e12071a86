// `npm run chaos:relay`: servers and database die at random times under load. Ends with one line of JSON; exit code 1 when
// something was lost, reordered, misnumbered, or repeated more often than `duplicatesMax` allows. What a kill repeats is the rate
// times the time from a receiver's answer to its commit: a slow machine carries less.

import { positive, readOptions, seedOption, wholeNumber } from '../rig/options.ts'
import { runChaos } from './campaign.ts'
import { faultsOf, timeOfDay } from './verdict.ts'

const secondsPerKill = 4

const options = readOptions('chaos:relay', 'Kills servers and the database at random times under load.', {
  kills: wholeNumber('how many times something is killed', 10),
  seed: seedOption(),
  minutes: positive(`length of the run; by default ${secondsPerKill} seconds a kill`, undefined),
  rate: positive('events a second; a slow machine carries less', 100),
})
const { kills, seed, rate: eventsPerSecond, minutes = (kills * secondsPerKill) / 60 } = options

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
