// `npm run proof:receivers`: what bad receivers and a loud business do to the others. Ends with one line of JSON; exit code 1
// when somebody was slowed down or left out, or when memory grew.

import { readOptions, wholeNumber } from '../rig/options.ts'
import { type BacklogFigures, runBacklog } from './backlog-round.ts'
import { runRound } from './hostile-round.ts'
import { openStage } from './stage.ts'
import { judge, type Pair } from './verdict.ts'

const options = readOptions('proof:receivers', 'Shows what bad receivers and a loud business cost the others.', {
  rounds: wholeNumber('pairs of a healthy and a hostile window', 5),
  seconds: wholeNumber('length of a window', 15),
  backlog: wholeNumber('waiting events of the loud business', 100_000),
  'per-second': wholeNumber('events a second of the others', 50),
})
const { rounds, seconds, backlog, 'per-second': perSecond } = options
console.log(`proof:receivers: --rounds ${rounds} --seconds ${seconds} --backlog ${backlog} --per-second ${perSecond}`)

const pairs: Pair[] = []
const backlogs: BacklogFigures[] = []
let peakRssMib: number | null = null
{
  await using stage = await openStage()
  // The first seconds of a process are slower than all that follow.
  await runRound(stage, { name: 'warm', isHostile: false, seconds: 5, perSecond })
  for (let round = 0; round < rounds; round++) {
    const healthy = await runRound(stage, { name: `healthy${round}`, isHostile: false, seconds, perSecond })
    const hostile = await runRound(stage, { name: `hostile${round}`, isHostile: true, seconds, perSecond })
    pairs.push({ healthy, hostile })
    console.log(JSON.stringify({ round, healthy, hostile }))
  }
  backlogs.push(await runBacklog(stage, { backlog, seconds }))
  console.log(JSON.stringify(backlogs.at(-1)))
  peakRssMib = await stage.peakRssMib()
}
const { faults, ...figures } = judge(pairs, backlogs, peakRssMib)
for (const fault of faults) console.error(`proof:receivers: ${fault}`)
console.log(JSON.stringify({ ...figures, peakRssMib, rounds, seconds, backlog, perSecond }))
process.exitCode = faults.length > 0 ? 1 : 0
