// `npm run proof:pgbouncer`: PgBouncer in transaction mode between replicas and PostgreSQL, with fewer server connections than
// clients.

import { pgbouncer } from '../../rig/databases/pooled.ts'
import { positive, seedOption, text, wholeNumber } from '../../rig/options.ts'
import { proof } from '../../rig/proof.ts'
import { runHttpTests } from './http-tests.ts'
import { faultsOfStarts, tryStarts } from './starts.ts'

await proof({
  script: 'proof:pgbouncer',
  promise:
    'Behind PgBouncer in transaction mode a start needs the direct address; with it, load and HTTP tests hold as without.',
  holds: [1, 4, 7],
  options: {
    seconds: positive('length of the load', 30),
    replicas: wholeNumber('replicas', 2),
    servers: wholeNumber('connections of the pooler to PostgreSQL', 12),
    rate: positive('events a second', 40),
    calls: positive('API calls a second', 10),
    tests: text('GLOB', 'test files that run by the pooler; none: no tests', 'packages/server/test/http/**/*.test.ts'),
    seed: seedOption(),
  },
})
  .part('starts', async ({ log }) => {
    const starts = await tryStarts()
    log(`starts: ${JSON.stringify(starts)}`)
    const refused = starts.filter(({ exitCode }) => exitCode !== 0).length
    return { figures: { tried: starts.length, refused }, faults: faultsOfStarts(starts) }
  })
  .scenario({
    world: ({ replicas, servers }) => ({ database: pgbouncer({ mode: 'transaction', servers }), replicas }),
    load: ({ rate, calls }) => ({ eventsPerSecond: rate, stories: { callsPerSecond: calls } }),
    async faults({ options, load, log, wait }) {
      await wait(options.seconds)
      log(load.summary())
    },
    expect: ({ seconds }) => ({ atLeast: { acknowledged: Math.floor(seconds) } }),
  })
  .part('http', async ({ options: { tests }, log }) => {
    if (tests === 'none') return { figures: {}, faults: [] }
    const { faults, ...figures } = await runHttpTests(tests, log)
    return { figures, faults }
  })
  .start()
