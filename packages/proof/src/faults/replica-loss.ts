// `npm run proof:replica-loss`: replicas at default settings are killed under load, in turn, each back after a while.

import { debianPostgres } from '../rig/databases/debian-plan.ts'
import { positive, seedOption, wholeNumber } from '../rig/options.ts'
import { proof } from '../rig/proof.ts'

const downSeconds = 2
/** Deliveries in one batch, at each of two endpoints, when its sender dies. */
const duplicatesPerKill = 64

await proof({
  script: 'proof:replica-loss',
  promise: 'A replica is lost at default settings: nothing acknowledged is lost, and another sends within one lease.',
  holds: [1, 4],
  options: {
    kills: wholeNumber('how many times a replica is killed', 6),
    replicas: wholeNumber('replicas', 3),
    rate: positive('events a second', 40),
    calls: positive('API calls a second', 10),
    gap: positive('seconds from one kill to the next', 10),
    gapMax: positive('the longest that deliveries may stand, in seconds', 6),
    seed: seedOption(),
  },
})
  .scenario({
    world: ({ replicas }) => ({ database: debianPostgres(), replicas }),
    load: ({ rate, calls }) => ({ eventsPerSecond: rate, stories: { callsPerSecond: calls }, warmUpMs: 3_000 }),
    async faults({ options, world, load, log, wait, span, count }) {
      for (let done = 0; done < options.kills; done++) {
        const victim = world.replicas[done % world.replicas.length]
        await span(`kill ${done + 1}`, async () => {
          await victim?.kill()
          count('kills')
          log(`kill ${done + 1}: ${victim?.name}; ${load.summary()}`)
          await wait(downSeconds)
          await victim?.restart()
          await wait(Math.max(0, options.gap - downSeconds))
        })
      }
    },
    expect: ({ kills, gapMax }) => ({
      // A dead replica does not respond, and the caller asks another.
      allow: { unanswered: Number.POSITIVE_INFINITY, duplicate: kills * duplicatesPerKill },
      gapMsMax: { delivery: gapMax * 1_000 },
      atLeast: { kills },
    }),
  })
  .start()
