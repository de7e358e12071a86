// `npm run abuse`: what one abusive business costs another. Each abuse is measured by turns with a calm window of the same length.

import { embeddedPostgres } from '../../rig/databases/embedded.ts'
import { openWorld } from '../../rig/deployment/open-world.ts'
import { lowerPriority } from '../../rig/measured/low-priority.ts'
import { judgePairs, measurePairs } from '../../rig/measured/measured.ts'
import { someOf, wholeNumber } from '../../rig/options.ts'
import { proof } from '../../rig/proof.ts'
import { abuseNames, abuses } from './abuses.ts'

const ratioMax = 2
/** The product's defaults, where the rig raises them. */
const limits = { RATE_LIMIT_REQUESTS: '1000', KYC_SUBMISSIONS_PER_MINUTE: '10' }

await proof({
  script: 'abuse',
  promise: "One abusive business, or a caller without a key, does not double another business's p99.",
  holds: [11, 18, 19, 23],
  options: {
    rounds: wholeNumber('pairs of a calm and an abused window', 5),
    seconds: wholeNumber('length of a window', 15),
    only: someOf('tries only some of', abuseNames),
  },
})
  .part('', async ({ options: { rounds, seconds, only }, log }, stack) => {
    const world = await openWorld(
      {
        database: embeddedPostgres(),
        replicas: 1,
        settings: { ...limits, RECONCILE_PERIOD_SECONDS: '0', LOG_LEVEL: 'error' },
        businesses: [],
      },
      stack,
    )
    lowerPriority(world.provider.pid()) // it stands for the provider's own machines
    let serverErrors = 0
    const hear = (status: number | null): void => {
      if (status !== null && status >= 500) serverErrors += 1
    }
    const figures: Record<string, object> = {}
    const faults: string[] = []
    const fault = (text: string): void => {
      if (!faults.includes(text)) faults.push(text)
    }
    for (const name of only) {
      const measure = await abuses[name]?.({ world, hear, fault })
      if (!measure) continue
      log(name)
      const judged = judgePairs(name, await measurePairs(measure, { rounds, seconds, log }), ratioMax)
      figures[name] = judged.figures
      faults.push(...judged.faults)
    }
    const [row] = await world.database.ask<{ deadlocks: number }>(
      'select sum(deadlocks)::int as deadlocks from pg_stat_database',
    )
    const { deadlocks = 0 } = row ?? {}
    if (serverErrors > 0) faults.push(`${serverErrors} responses to abusers were server errors`)
    if (deadlocks > 0) faults.push(`PostgreSQL counted ${deadlocks} deadlocks`)
    faults.push(...world.unexpected())
    return { figures: { ...figures, serverErrors, deadlocks }, faults }
  })
  .start()
