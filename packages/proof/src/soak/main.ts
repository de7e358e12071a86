// `npm run soak`: two hours of mixed load. Memory, handles, connections, tables and the write-ahead log must not grow with time.

import { embeddedPostgres } from '../rig/databases/embedded.ts'
import { positive, seedOption, wholeNumber } from '../rig/options.ts'
import { proof } from '../rig/proof.ts'
import { type Samples, startSamples } from './samples.ts'
import { faultsOfTrends, trendOf } from './trend.ts'

const sampleSeconds = 15
const minuteMs = 60_000
/** The line needs several windows of five minutes. */
const minutesMin = 40
/** Share of the run: caches fill, code is compiled, pools open their connections. */
const warmUpShare = 0.25
/** The line goes through the last half: an hour of two. */
const fittedShare = 0.5

let samples: Samples | null = null
let startedAtMs = 0
let endedAtMs = 0
const at = (share: number): number => startedAtMs + (endedAtMs - startedAtMs) * share

await proof({
  script: 'soak',
  promise: 'After hours of the same load the service holds as much memory, files and disk as after the first minutes.',
  holds: [1, 4],
  options: {
    minutes: positive('length of the run', 120),
    replicas: wholeNumber('replicas', 2),
    rate: positive('events a second', 20),
    calls: positive('API calls a second', 6),
    seed: seedOption(),
  },
  problem: ({ minutes }) => (minutes < minutesMin ? `a line needs --minutes ${minutesMin} or more` : null),
})
  .scenario({
    world: ({ replicas }) => ({ database: embeddedPostgres(), replicas }),
    load: ({ rate, calls }) => ({
      eventsPerSecond: rate,
      stories: { callsPerSecond: calls },
      calls: { callers: 2, pauseMs: 500, of: { list: 1, poll: 1 }, keys: 'none' },
    }),
    async faults({ options, world, load, log, wait, count }) {
      samples = startSamples(world)
      startedAtMs = Date.now()
      const end = startedAtMs + options.minutes * minuteMs
      for (let taken = 1; Date.now() < end; taken++) {
        await samples.take(load.ledger.answers.length)
        count('samples')
        if (taken % 40 === 1) log(load.summary())
        await wait(sampleSeconds)
      }
      endedAtMs = Date.now()
    },
    figures: () => ({ trends: samples?.all().map((one) => trendOf(one, at(warmUpShare), at(fittedShare))) }),
    expect: ({ minutes }) => ({
      atLeast: { samples: Math.floor((minutes * 60) / sampleSeconds / 2) },
      also: () =>
        faultsOfTrends(samples?.all() ?? [], at(warmUpShare), at(fittedShare)).map((text) => ({
          kind: 'broken',
          text,
        })),
    }),
  })
  .start()
