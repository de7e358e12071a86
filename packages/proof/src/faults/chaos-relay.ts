// `npm run chaos:relay`: servers and their database die at random times while events are accepted and sent to flaky receivers.

import { embeddedPostgres } from '../rig/databases/embedded.ts'
import { absencesOf } from '../rig/deployment/absences.ts'
import { positive, seedOption, wholeNumber } from '../rig/options.ts'
import { proof } from '../rig/proof.ts'
import { duplicatesMax } from '../rig/verdict/duplicates.ts'
import type { BusinessPlan } from '../rig/world.ts'

const secondsPerKill = 4
const endUsers = 20
const conduct = 'flaky'
const businesses: readonly BusinessPlan[] = (
  [['per_end_user'], ['best_effort', 'per_end_user'], ['per_end_user', 'best_effort', 'per_end_user']] as const
).map((orderings) => ({ endUsers, endpoints: orderings.map((ordering) => ({ ordering, conduct })) }))
// The shortest lease is 3 s: what a killed replica held is taken over within that.
const settings = {
  WEBHOOK_TIMEOUT_MS: '1000',
  WEBHOOK_RETRY_SECONDS: `0.2,0.4,0.8,${Array(17).fill('1').join(',')}`,
}

await proof({
  script: 'chaos:relay',
  promise:
    'Servers and PostgreSQL die under load: each accepted event reaches each endpoint, in order, almost always once.',
  holds: [1, 4],
  options: {
    kills: wholeNumber('how many times something is killed', 10),
    minutes: positive(`length of the run; ${secondsPerKill} seconds a kill if not given`, undefined),
    rate: positive('events a second; a slow machine carries less', 100),
    seed: seedOption(),
  },
})
  .scenario({
    world: () => ({ database: embeddedPostgres(), replicas: 2, provider: 'silent', businesses, settings }),
    load: ({ rate }) => ({ eventsPerSecond: rate, warmUpMs: 1_000 }),
    async faults({ options, world, load, chance, log, wait, count }) {
      const { kills, minutes = (kills * secondsPerKill) / 60 } = options
      const absences = absencesOf(world)
      const draws = chance(1)
      const gapMs = (minutes * 60_000) / kills
      for (let done = 1; done <= kills; done++) {
        // Some kills come while an earlier victim still starts.
        await wait((draws.oneIn(4) ? draws.below(200) : gapMs / 2 + draws.below(gapMs)) / 1_000)
        const victim = draws.oneIn(2) ? 'database' : draws.below(world.replicas.length)
        await absences.kill(victim, draws.below(600), draws.oneIn(2) ? 'crash' : 'immediate')
        count('kills')
        log(`kill ${done}: ${victim === 'database' ? 'PostgreSQL' : `replica ${victim + 1}`}; ${load.summary()}`)
      }
      await absences.allUp()
    },
    expect: ({ kills }) => ({
      allow: { unanswered: Number.POSITIVE_INFINITY, duplicate: duplicatesMax(kills, 0) },
      atLeast: { kills, acknowledged: kills },
    }),
  })
  .start()
