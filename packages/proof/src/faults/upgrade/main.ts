// `npm run proof:upgrade`: replicas of the packed version before this one are replaced under load by this version and back, then
// again on the schema of a next version; then the same while a business does everything.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Database } from '../../rig/databases/database.ts'
import { embeddedPostgres } from '../../rig/databases/embedded.ts'
import { atProcessEnd } from '../../rig/exit.ts'
import { seedOption, text, wholeNumber } from '../../rig/options.ts'
import { proof } from '../../rig/proof.ts'
import type { Run } from '../../rig/scenario.ts'
import type { Program, World } from '../../rig/world.ts'
import { findPreviousRelease, packCommit, packNext, packThis, programIn } from './packing.ts'
import { adding, breaking, breakingName, fillLargeTable, timesApplied, usesNextSchema } from './schema-ahead.ts'

type Version = 'before' | 'now' | 'next' | 'breaking'
type Given = { times: number; seed: number; from: string | undefined }
type Rolling = Run<Given, Database>

const replicas = 3
/** A normal stop is far shorter: a stop that takes this long hangs. */
const stopMsMax = 10_000
const dwellSeconds = 1.5
const requestsPerReplacementMin = 10
/** Writes under an `Idempotency-Key`, repeated after each replacement. */
const keptMax = 10
const answerMsMax = 20_000
const settings = {
  DATABASE_POOL_MAX: '8',
  // Several checks of the balancer, also on a busy machine.
  SHUTDOWN_DELAY_MS: '1500',
  SHUTDOWN_GRACE_MS: '3000',
}
const programs = new Map<Version, Program>()

function programOf(version: Version): Program {
  const program = programs.get(version)
  if (!program) throw new Error(`the version ${version} is not packed`)
  return program
}

/** Replacements behind the balancer: there and back, then to the next version and to the two older ones on its schema. */
const replacementsOf = ({ times }: Given): number => replicas * (2 * times + 3)

await proof({
  script: 'proof:upgrade',
  promise: 'Versions are replaced under load, there and back: no request fails, and nothing acknowledged is lost.',
  holds: [1, 4, 14],
  options: {
    times: wholeNumber('how often there and back', 1),
    seed: seedOption(),
    from: text('REF', 'the version before, in place of the newest release', undefined),
  },
})
  .part('versions', async ({ options, log }) => {
    const { name, commit } = await findPreviousRelease(options.from)
    const folder = mkdtempSync(join(tmpdir(), 'causeway-upgrade-'))
    atProcessEnd(() => rmSync(folder, { recursive: true, force: true }))
    const [now, next, last] = [join(folder, 'now'), join(folder, 'next'), join(folder, 'breaking')]
    const before = await packCommit(commit, log)
    await packThis(now)
    await packNext(now, next, adding)
    await packNext(next, last, breaking)
    for (const [version, packed] of Object.entries({ before, now, next, breaking: last }))
      programs.set(version as Version, programIn(packed))
    return { figures: { from: name, fromCommit: commit }, faults: [] }
  })
  .scenario({
    name: 'behind a balancer',
    world: () => ({
      database: embeddedPostgres(),
      replicas,
      route: 'balancer',
      provider: 'silent',
      program: programOf('before'),
      settings,
    }),
    load: () => ({
      eventsPerSecond: 30,
      calls: { callers: 12, pauseMs: 20, of: { create: 4, list: 3, poll: 1 }, keys: 'none' },
    }),
    faults: rollThereAndBack,
    expect: (options) => ({
      // A stopping replica releases its deliveries, so a duplicate is the exception.
      allow: { duplicate: replacementsOf(options) },
      none: ['bad exits', 'changed responses', 'migrations applied again'],
      atLeast: {
        replaced: replacementsOf(options),
        answers: replacementsOf(options) * requestsPerReplacementMin,
        'repeated responses': 1,
        'uses of the next schema': 1,
        'refusals of a breaking schema': 2,
      },
    }),
  })
  .scenario({
    // Replicas return at their addresses, so some calls find nobody and are repeated.
    name: 'everything',
    world: () => ({ database: embeddedPostgres(), replicas, program: programOf('before') }),
    load: () => ({ eventsPerSecond: 20, stories: { callsPerSecond: 10 } }),
    async faults({ options, world, load, log, wait, count }) {
      for (let round = 1; round <= options.times; round++)
        for (const version of ['now', 'before'] as const) {
          for (const replica of world.replicas) {
            await replica.terminate(stopMsMax)
            await replica.restart({ program: programOf(version) })
            count('replaced')
            await wait(2 * dwellSeconds)
          }
          log(`round ${round}, to the version ${version}: ${load.summary()}`)
        }
    },
    expect: ({ times }) => ({
      allow: { unanswered: Number.POSITIVE_INFINITY, duplicate: replicas * 2 * times },
      atLeast: { replaced: replicas * 2 * times, accounts: 1, deposits: 1 },
    }),
  })
  .start()

async function rollThereAndBack(run: Rolling): Promise<void> {
  const { options, world, load, log, count } = run
  const repeat = await keepResponses(run)
  const roll = async (version: Version, where: string): Promise<void> => {
    for (const old of [...world.replicas]) {
      await world.addReplica({ program: programOf(version) })
      await remove(run, old)
      await repeat()
    }
    log(`${where}, to the version ${version}: ${load.summary()}`)
  }
  for (let round = 1; round <= options.times; round++)
    for (const version of ['now', 'before'] as const) await roll(version, `round ${round}`)
  await fillLargeTable(world.database)
  const older = [...world.replicas]
  await Promise.all(older.map(() => world.addReplica({ program: programOf('next') }))) // each would apply the migrations
  count('migrations applied again', (await timesApplied(world.database)) - 1)
  if (await usesNextSchema(world.database)) count('uses of the next schema')
  for (const old of older) await remove(run, old)
  await repeat()
  for (const version of ['now', 'before'] as const) await roll(version, 'on the schema of the next version')
  await world.addReplica({ program: programOf('breaking') })
  for (const version of ['now', 'before'] as const)
    if (await refusesToStart(world, programOf(version))) count('refusals of a breaking schema')
  await repeat()
}

async function remove({ world, log, count, wait }: Rolling, replica: World<Database>['replicas'][number]) {
  const exitCode = await world.removeReplica(replica, stopMsMax)
  count('replaced')
  if (exitCode !== 0) {
    count('bad exits')
    log(`${replica.name} ended with ${exitCode ?? 'a signal, late'}`)
  }
  await wait(dwellSeconds)
}

/** @returns whether a replica refuses to start and names the migration */
async function refusesToStart(world: World<Database>, program: Program): Promise<boolean> {
  try {
    await world.removeReplica(await world.addReplica({ program: program }), stopMsMax)
    return false
  } catch (error) {
    if (error instanceof Error && error.message.includes(breakingName)) return true
    throw error
  }
}

/** Writes under an `Idempotency-Key`. @returns a check that every version repeats their responses byte by byte */
async function keepResponses({ world, options, count }: Rolling): Promise<() => Promise<void>> {
  const [business] = world.businesses
  const ask = async (at: number): Promise<string> => {
    const headers = {
      authorization: `Bearer ${business?.apiKey}`,
      'content-type': 'application/json',
      'idempotency-key': `kept-${options.seed}-${at}`,
    }
    const body = JSON.stringify({ externalUserId: `kept-${at}`, metadata: { place: String(at) } })
    const { status, text } = await world.send({ method: 'POST', path: '/v0/end-users', headers, body }, answerMsMax)
    return `${status} ${text}`
  }
  const kept: string[] = []
  for (let at = 0; at < keptMax; at++) kept.push(await ask(at))
  return async () => {
    for (const [at, response] of kept.entries())
      count((await ask(at)) === response && response.startsWith('200') ? 'repeated responses' : 'changed responses')
  }
}
