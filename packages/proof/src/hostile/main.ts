// `npm run proof:receivers -- [--rounds N] [--seconds S] [--backlog N]`: what bad receivers and a loud business do to the
// others. Ends with one line of JSON; exit code 1 when somebody was slowed down, left out, or memory grew.

import { parseArgs } from 'node:util'
import { type BacklogFigures, runBacklog } from './backlog-round.ts'
import { runRound } from './hostile-round.ts'
import { openStage } from './stage.ts'
import { judge, type Pair } from './verdict.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '15' },
    backlog: { type: 'string', default: '100000' },
    'per-second': { type: 'string', default: '50' },
  },
})
const [rounds = 0, seconds = 0, backlog = 0, perSecond = 0] = [
  values.rounds,
  values.seconds,
  values.backlog,
  values['per-second'],
].map(Number)
if (![rounds, seconds, backlog, perSecond].every((value) => Number.isSafeInteger(value) && value > 0)) {
  console.error('proof:receivers takes --rounds, --seconds, --backlog and --per-second, whole numbers from 1.')
  process.exit(64)
}
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
