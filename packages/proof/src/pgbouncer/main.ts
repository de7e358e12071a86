// `npm run proof:pgbouncer`: PgBouncer in transaction mode between replicas and PostgreSQL, with fewer server connections than
// clients. Without the direct address a start is refused; with it, mixed load loses nothing and keeps its order, and the HTTP
// part of the tests passes. Ends with one line of JSON; exit code 1 when a promise broke.

import { setTimeout as delay } from 'node:timers/promises'
import { timeOfDay } from '../chaos-relay/verdict.ts'
import { openFleet } from '../fleet/fleet.ts'
import { faultsOf, judgeFleet } from '../fleet/judge.ts'
import { startMixedLoad } from '../fleet/load.ts'
import { startDebianPostgres } from '../rig/databases/debian.ts'
import { startPooler } from '../rig/databases/pooler.ts'
import { positive, readOptions, seedOption, text, wholeNumber } from '../rig/options.ts'
import { endOnSignals, runProof } from '../rig/programs.ts'
import { runHttpTests } from './http-tests.ts'
import { faultsOfStarts, tryStarts } from './starts.ts'

const script = 'proof:pgbouncer'
const options = readOptions(script, 'Works through PgBouncer in transaction mode.', {
  seconds: positive('length of the load', 30),
  replicas: wholeNumber('replicas', 2),
  servers: wholeNumber('connections of the pooler to PostgreSQL', 12),
  rate: positive('events a second', 40),
  calls: positive('API calls a second', 10),
  tests: text('GLOB', 'test files that run by the pooler; none: no tests', 'packages/server/test/http/**/*.test.ts'),
  seed: seedOption(),
})
const { seconds, replicas, servers, rate, calls, tests: files, seed } = options
const say = (line: string): void => console.log(`${timeOfDay(Date.now())} ${line}`)

await runProof(script, async () => {
  console.log(
    `${script}: --seconds ${seconds} --replicas ${replicas} --servers ${servers} --rate ${rate} --seed ${seed}`,
  )
  await using stack = new AsyncDisposableStack()
  endOnSignals(stack)
  const postgres = stack.use(await startDebianPostgres())
  const starts = await tryStarts()
  say(`starts: ${JSON.stringify(starts)}`)
  const pooler = stack.use(await startPooler(postgres.connection, { mode: 'transaction', serversMax: servers }))
  const env = { DATABASE_URL: pooler.urlOf(), DATABASE_DIRECT_URL: postgres.url }
  const fleet = stack.use(await openFleet({ database: postgres.connection, replicas, envOf: () => env }))
  const load = startMixedLoad(fleet, { eventsPerSecond: rate, callsPerSecond: calls, seed })
  await delay(seconds * 1_000)
  await load.stop()
  say(`${load.acknowledgedEvents.length} events acknowledged; waiting until they have arrived`)
  const { examples, ...figures } = await judgeFleet(fleet, load)
  const tests = files === 'none' ? null : await runHttpTests(files, say)
  const faults = [...faultsOfStarts(starts), ...faultsOf(figures), ...(tests?.faults ?? [])]
  for (const line of [...examples, ...faults]) console.error(`${script}: ${line}`)
  const http = tests && { passed: tests.passed, failed: tests.failed }
  const refused = starts.filter(({ exitCode }) => exitCode !== 0).length
  console.log(
    JSON.stringify({
      proof: 'pgbouncer',
      seed,
      starts: starts.length,
      refused,
      ...figures,
      http,
      faults: faults.length,
    }),
  )
  if (faults.length > 0) process.exitCode = 1
})
