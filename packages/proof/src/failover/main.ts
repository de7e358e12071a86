// `npm run proof:failover`: PostgreSQL with a synchronous standby under Patroni and etcd, by the files of deploy/patroni/. The
// primary dies under load, again and again; hosts may hang as well. Ends with one line of JSON; exit code 1 when something acknowledged was lost, made
// twice or reordered, when writes were away for more than 30 s, or when a caller was answered anything but a result or a 503
// that says when to come back.

import { timeOfDay } from '../chaos-relay/verdict.ts'
import { faultsOf } from '../fleet/judge.ts'
import { positive, readOptions, refuse, seedOption, text, wholeNumber } from '../rig/options.ts'
import { endOnSignals, runProof } from '../rig/programs.ts'
import { runFailovers } from './campaign.ts'
import { type Accident, faultsOfFailovers } from './outage.ts'

const script = 'proof:failover'
/** Sent and not yet written down when the primary dies: at most one batch of each of two endpoints. */
const duplicatesPerAccident = 64
const options = readOptions(script, 'Kills the primary of PostgreSQL under load, again and again.', {
  times: wholeNumber('how often the primary dies', 5, 0),
  hangs: wholeNumber('how often the primary hangs instead, until another has its place', 0, 0),
  standby: wholeNumber('how often the standby hangs', 0, 0),
  by: text('hosts|haproxy', 'how replicas find the primary: both hosts in DATABASE_URL, or HAProxy', 'hosts'),
  replicas: wholeNumber('replicas', 3),
  rate: positive('events a second', 30),
  calls: positive('API calls a second', 10),
  seed: seedOption(),
})
const { times, hangs, standby, by, replicas, rate, calls, seed } = options
if (by !== 'hosts' && by !== 'haproxy') refuse(script, `--by takes hosts or haproxy, not "${by}"`)
const say = (line: string): void => console.log(`${timeOfDay(Date.now())} ${line}`)

const accidents: readonly Accident[] = [
  ...Array<Accident>(times).fill('primary dies'),
  ...Array<Accident>(hangs).fill('primary hangs'),
  ...Array<Accident>(standby).fill('standby hangs'),
]

if (accidents.length === 0) refuse(script, 'nothing is to happen')

await runProof(script, async () => {
  console.log(
    `${script}: --times ${times} --by ${by} --replicas ${replicas} --rate ${rate} --calls ${calls} --seed ${seed}`,
  )
  await using stack = new AsyncDisposableStack()
  endOnSignals(stack)
  const load = { replicas, eventsPerSecond: rate, callsPerSecond: calls, seed }
  const { examples, ...figures } = await runFailovers({ accidents, by, ...load, say, stack })
  const faults = [
    ...faultsOf(figures, { duplicates: accidents.length * duplicatesPerAccident }),
    ...faultsOfFailovers(figures.failovers, accidents.length),
  ]
  for (const line of [...examples, ...faults]) console.error(`${script}: ${line}`)
  console.log(JSON.stringify({ proof: 'failover', by, seed, ...figures, faults: faults.length }))
  if (faults.length > 0) process.exitCode = 1
})
