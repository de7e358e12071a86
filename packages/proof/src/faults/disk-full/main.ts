// `npm run proof:disk-full`: fills the disk until PostgreSQL panics, then frees space. Needs root.

import { setTimeout as delay } from 'node:timers/promises'
import { debianPostgres } from '../../rig/databases/debian-plan.ts'
import { serverOwned } from '../../rig/databases/server-owned.ts'
import { positive, seedOption, wholeNumber } from '../../rig/options.ts'
import { proof } from '../../rig/proof.ts'
import { judgeReadiness, judgeReads } from './readiness.ts'

/** PostgreSQL keeps little WAL in reserve, so that the disk soon lacks space for more. */
const settings = { max_wal_size: '64MB', min_wal_size: '32MB', checkpoint_timeout: '30s' }
/** Includes the PostgreSQL programs, which the process unpacks next to its data. */
const ownDiskMb = 768
/** Deliveries in one batch, at each of two endpoints, whose outcomes cannot be written. */
const duplicatesPerFill = 128
const switchMs = 500
const steadySeconds = 5

await proof({
  script: 'proof:disk-full',
  promise:
    'While the disk is full every call is served or told to come back; then all goes on by itself, nothing lost.',
  holds: [1, 4],
  options: {
    times: wholeNumber('how many times the disk fills up', 3),
    full: positive('seconds for which it stays full', 15),
    rate: positive('events a second', 40),
    calls: positive('API calls a second', 10),
    size: wholeNumber('megabytes of the disk', 384, 256),
    recovery: positive('seconds in which everything must be answered again once there is room', 30),
    seed: seedOption(),
  },
})
  .scenario({
    name: 'PostgreSQL',
    world: ({ size }) => ({ database: debianPostgres({ diskMb: size, supervised: true, settings }) }),
    load: ({ rate, calls }) => ({ eventsPerSecond: rate, stories: { callsPerSecond: calls }, watchReadiness: true }),
    async faults({ options, world, log, wait, span, count, untilServing }) {
      const { database } = world
      for (let round = 1; round <= options.times; round++) {
        const endsBefore = database.ends()
        await span(`full ${round}`, async () => {
          database.disk.fill()
          const end = performance.now() + options.full * 1_000
          // In the first round only tables fill up. Later rounds also switch the WAL, as an archive does: its next
          // segment has no space, and PostgreSQL panics.
          while (performance.now() < end) {
            if (round > 1) await database.ask('select pg_switch_wal()').catch(() => {})
            await delay(switchMs)
          }
          await database.disk.free()
        })
        const ends = database.ends() - endsBefore
        count('ends of PostgreSQL', ends)
        log(`round ${round}: full for ${options.full} s, PostgreSQL ended ${ends} times`)
        await untilServing(`room ${round}`, 2 * options.recovery)
        await wait(steadySeconds)
      }
      // PostgreSQL's own words for the cause, and what to do about it.
      const causes = world.replicas.flatMap((replica) => replica.logged('database refused work'))
      count('causes', causes.filter((line) => line.includes('No space left') && line.includes('"remedy":')).length)
    },
    expect: ({ times, recovery }) => ({
      allow: { duplicate: times * duplicatesPerFill },
      recoveryMsMax: recovery * 1_000,
      atLeast: { refused: 1, causes: 1, ...(times > 1 && { 'ends of PostgreSQL': 1 }) },
      also: (observed) => [...judgeReadiness(observed), ...judgeReads(observed)],
    }),
  })
  .scenario({
    // One process that manages its own PostgreSQL, with all state on the small filesystem: it is the only supervisor.
    name: 'embedded',
    world: () => ({ database: serverOwned({ diskMb: ownDiskMb }), replicas: 1, provider: 'silent' }),
    load: () => ({ calls: { callers: 4, pauseMs: 50, of: { create: 1 }, keys: 'key' } }),
    async faults({ options, world: { database }, wait, count, untilServing }) {
      for (let round = 1; round <= Math.min(options.times, 2); round++) {
        const before = database.postmaster()
        database.disk.fill()
        await wait(options.full / 2)
        // In the second round PostgreSQL must start while there is no space for its lock file.
        if (round > 1) process.kill(before, 'SIGKILL')
        await wait(options.full / 2)
        await database.disk.free()
        await untilServing(`room ${round}`, 2 * options.recovery)
        if (database.postmaster() !== before) count('starts of the database')
        await wait(steadySeconds)
      }
    },
    expect: ({ times, recovery }) => ({
      recoveryMsMax: recovery * 1_000,
      atLeast: { refused: 1, ...(times > 1 && { 'starts of the database': 1 }) },
    }),
  })
  .start()
