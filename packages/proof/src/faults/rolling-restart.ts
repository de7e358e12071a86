// `npm run rolling-restart`: replaces each replica under load and starts the new one first, as an orchestrator does.

import { embeddedPostgres } from '../rig/databases/embedded.ts'
import { seedOption, wholeNumber } from '../rig/options.ts'
import { proof } from '../rig/proof.ts'

const replicas = 3
const graceMs = 3_000
/** A normal stop is far shorter: a stop that takes this long hangs. */
const stopMsMax = 10_000
const requestsPerReplacementMin = 10

await proof({
  script: 'rolling-restart',
  promise:
    'Replicas are replaced under load: no request fails, each replica ends with 0, nothing acknowledged is lost.',
  holds: [1, 4, 14],
  options: {
    times: wholeNumber('how often each replica is replaced', 2),
    // Long enough for several balancer checks.
    delay: wholeNumber('milliseconds from "not ready" to the end; with 0 some requests may fail', 400, 0),
    seed: seedOption(),
  },
})
  .scenario({
    world: ({ delay }) => ({
      database: embeddedPostgres(),
      replicas,
      route: 'balancer',
      provider: 'silent',
      settings: { SHUTDOWN_DELAY_MS: String(delay), SHUTDOWN_GRACE_MS: String(graceMs) },
    }),
    load: () => ({
      eventsPerSecond: 40,
      calls: { callers: 24, pauseMs: 20, of: { create: 4, list: 3, poll: 1 }, keys: 'none' },
    }),
    async faults({ options, world, load, log, count }) {
      for (let round = 1; round <= options.times; round++) {
        for (const old of [...world.replicas]) {
          await world.addReplica()
          const exitCode = await world.removeReplica(old, stopMsMax)
          count('replaced')
          if (exitCode === 0) continue
          count('bad exits')
          log(`${old.name} ended with ${exitCode ?? 'a signal, late'}`)
        }
        log(`round ${round}: ${load.summary()}`)
      }
    },
    expect: ({ times }) => ({
      // A stopping replica releases its deliveries, so a duplicate is the exception.
      allow: { duplicate: replicas * times },
      none: ['bad exits'],
      atLeast: { replaced: replicas * times, answers: replicas * times * requestsPerReplacementMin },
    }),
  })
  .start()
