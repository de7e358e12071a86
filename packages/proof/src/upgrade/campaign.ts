// One upgrade under load: three replicas of the version before are replaced by this one, and back again; then the schema goes
// ahead of both; then the verdict.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { ReceiverLine } from '../chaos-relay/receivers.ts'
import { type Judgement, judge } from '../chaos-relay/verdict.ts'
import { type Balancer, openBalancer } from '../relay-world/balancer.ts'
import { type KillableDatabase, startKillableDatabase } from '../rig/databases/embedded.ts'
import { startLineProcess } from '../rig/line-process.ts'
import { endOnSignals } from '../rig/programs.ts'
import { startEventLoad } from './event-load.ts'
import { startLoad } from './load.ts'
import { rollMixed } from './mixed.ts'
import { findPreviousRelease, type Packed, packCommit, packThis } from './releases.ts'
import { openReplicas, type Replicas } from './replicas.ts'
import { breakingName, bringAhead, fillLargeTable, useNextSchema } from './schema-ahead.ts'
import type { UpgradeReport } from './verdict.ts'
import { type Customer, callerOf, type Fleet, listEndUsers, openCustomer, openFleet } from './world.ts'

export type UpgradeOptions = {
  /** How often there and back. */
  times: number
  seed: number
  from?: string | undefined
  say: (line: string) => void
}

const replicas = 3
const dwellMs = 1_500
const settleMsMax = 60_000
const examplesMax = 20
const endUsers = Array.from({ length: 12 }, (_, at) => `user-of-events-${at}`)

export async function runUpgrade(options: UpgradeOptions): Promise<UpgradeReport & { examples: string[] }> {
  const { from, say, times, seed } = options
  const startedAt = performance.now()
  await using stack = new AsyncDisposableStack()
  endOnSignals(stack)
  const folder = await mkdtemp(join(tmpdir(), 'causeway-upgrade-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  const previous = await findPreviousRelease(from)
  const packed = { before: await packCommit(previous.commit, say), now: await packThis(join(folder, 'now')) }
  const rolled = await rollUnderLoad(stack.use(new AsyncDisposableStack()), packed, options)
  say('the same under everything that a business does')
  const { judged, faults } = await rollMixed(stack.use(new AsyncDisposableStack()), packed, { times, seed })
  const { examples, ...mixed } = judged
  return {
    from: previous.name,
    fromCommit: previous.commit,
    ...rolled,
    mixed,
    mixedFaults: faults,
    examples: [...rolled.examples, ...examples].slice(0, examplesMax),
    seed,
    durationMs: Math.round(performance.now() - startedAt),
  }
}

type Rolled = Omit<UpgradeReport, 'from' | 'fromCommit' | 'mixed' | 'mixedFaults' | 'seed' | 'durationMs'> & {
  examples: string[]
}

/** Behind a load balancer, with the new replica first: no request may fail. */
async function rollUnderLoad(stack: AsyncDisposableStack, packed: Packed, options: UpgradeOptions): Promise<Rolled> {
  const { seed } = options
  const world = await openWorld(stack, packed, options)
  const { balancer, customer } = world
  const { businessId, apiKey } = customer
  const { signer } = world.fleet
  const answers = await openAnswers(balancer, customer, seed)
  const load = startLoad(balancer, { apiKey, signer, seed })
  const events = startEventLoad(balancer, { signer, businessId, endUsers, seed })
  const failed = () => load.figures().failed + events.failed.length
  let ahead: Ahead
  try {
    ahead = await roll(world, options, answers.repeat, () => `${load.figures().requests} requests, ${failed()} failed`)
  } finally {
    await Promise.all([load.stop(), events.stop()])
  }
  const judged = await untilSettled(() => judge(events.accepted, customer.endpoints, world.lines))
  const found = await listEndUsers(balancer, apiKey)
  const { requests, retried } = load.figures()
  await stack.disposeAsync()
  return {
    ...world.running.figures(),
    requests: requests + events.accepted.length + events.failed.length,
    retried,
    failed: failed(),
    acknowledged: load.acknowledged.length,
    lostWrites: load.acknowledged.filter((name) => !found.has(name)).length,
    ...answers.figures(),
    ...judged,
    ...ahead,
    examples: [...load.examples, ...events.failed, ...judged.examples],
  }
}

type World = {
  packed: Packed
  lines: readonly ReceiverLine[]
  database: KillableDatabase
  fleet: Fleet
  balancer: Balancer
  running: Replicas
  customer: Customer
}

async function openWorld(
  stack: AsyncDisposableStack,
  packed: Packed,
  { seed }: Pick<UpgradeOptions, 'seed'>,
): Promise<World> {
  const lines: ReceiverLine[] = []
  const receivers = stack.use(
    await startLineProcess<ReceiverLine & { port: number }>(
      new URL('../chaos-relay/receivers.ts', import.meta.url),
      [String(seed), 'calm'],
      (line) => lines.push(line),
    ),
  )
  const database = stack.use(await startKillableDatabase())
  const fleet = openFleet(database.connection)
  const balancer = stack.use(openBalancer())
  const running = stack.use(openReplicas(fleet, balancer))
  // The version before makes the schema, and this version brings it up to date under load.
  for (let at = 0; at < replicas; at++) await running.begin(packed.before)
  const { port: receiversPort } = receivers.ready
  const customer = await openCustomer(balancer, fleet.adminSecret, { endUsers, receiversPort })
  return { packed, lines, database, fleet, balancer, running, customer }
}

type Ahead = Pick<UpgradeReport, 'aheadApplied' | 'aheadUsed' | 'aheadStarts' | 'breakingRefusals'>

/** There and back, and again on the schema of the next version. */
async function roll(
  { packed, running, database, fleet }: World,
  { times, say }: UpgradeOptions,
  look: () => Promise<void>,
  told: () => string,
): Promise<Ahead> {
  const afterEach = async (): Promise<void> => {
    await delay(dwellMs)
    await look()
  }
  for (let round = 1; round <= times; round++) {
    for (const way of ['now', 'before'] as const) {
      await running.replaceAll(packed[way], afterEach)
      say(`round ${round}, to the version ${way}: ${told()}`)
    }
  }
  await fillLargeTable(database.connection)
  const aheadApplied = await bringAhead(database.connection, { isBreaking: false })
  say(`the schema of the next version was applied ${aheadApplied} times`)
  const aheadUsed = await useNextSchema(database.connection)
  let aheadStarts = 0
  for (const way of ['now', 'before'] as const) {
    await running.replaceAll(packed[way], afterEach)
    aheadStarts += 1
    say(`on the schema of the next version, to the version ${way}: ${told()}`)
  }
  await bringAhead(database.connection, { isBreaking: true })
  const breakingRefusals = await countRefusals(fleet, Object.values(packed))
  await afterEach() // those that run go on
  return { aheadApplied, aheadUsed, aheadStarts, breakingRefusals }
}

/** Writes under an `Idempotency-Key`, which every version has to answer again with the same bytes. */
async function openAnswers(balancer: Balancer, { apiKey }: Customer, seed: number) {
  const call = callerOf(balancer, apiKey)
  const figures = { repeatedAnswers: 0, changedAnswers: 0 }
  const ask = async (at: number): Promise<string> => {
    const body = { externalUserId: `keyed-${seed}-${at}`, metadata: { place: String(at) } }
    return JSON.stringify(await call('POST', '/v0/end-users', body, `key-${seed}-${at}`))
  }
  const first: string[] = []
  for (let at = 0; at < 10; at++) first.push(await ask(at))
  return {
    figures: () => figures,
    async repeat() {
      for (const [at, answer] of first.entries()) {
        figures.repeatedAnswers += 1
        if ((await ask(at)) !== answer) figures.changedAnswers += 1
      }
    },
  }
}

async function countRefusals(fleet: Fleet, versions: readonly string[]): Promise<number> {
  let refusals = 0
  for (const packed of versions) {
    try {
      await (await fleet.serve(packed)).kill()
    } catch (error) {
      if (error instanceof Error && error.message.includes(breakingName)) refusals += 1
      else throw error
    }
  }
  return refusals
}

async function untilSettled(look: () => Judgement): Promise<Judgement> {
  const deadline = performance.now() + settleMsMax
  for (;;) {
    const judgement = look()
    if (judgement.lost === 0 || performance.now() > deadline) return judgement
    await delay(200)
  }
}
