// `npm run proof:disk-full`: PostgreSQL's disk fills up under mixed load, again and again: tables cannot grow, the log cannot
// either and PostgreSQL panics. Then there is room. Ends with one line of JSON; exit code 1 when something acknowledged was
// lost, a call was refused otherwise than by a 503 that says when to come back, a person had to help, `/readyz` stayed at 200, or
// the log did not say why.

import { setTimeout as delay } from 'node:timers/promises'
import { timeOfDay } from '../chaos-relay/verdict.ts'
import { firstAfterMs, isAcknowledged } from '../fleet/answers.ts'
import { type Fleet, openFleet } from '../fleet/fleet.ts'
import { faultsOf, judgeFleet } from '../fleet/judge.ts'
import { type MixedLoad, startMixedLoad } from '../fleet/load.ts'
import { startDebianPostgres } from '../rig/databases/debian.ts'
import { mountSmallDisk, type SmallDisk } from '../rig/databases/small-disk.ts'
import { type Supervisor, supervise } from '../rig/databases/supervisor.ts'
import { positive, readOptions, seedOption, wholeNumber } from '../rig/options.ts'
import { endOnSignals, runProof } from '../rig/programs.ts'
import { type EmbeddedFigures, faultsOfEmbedded, fillEmbedded } from './embedded.ts'
import { faultsOfReadiness, notReadyAfterMs, type ReadinessWatch, tellsCause, watchReadiness } from './readiness.ts'

const script = 'proof:disk-full'
const warmUpMs = 5_000
const switchMs = 500
/** With the programs of PostgreSQL, which the process lays out beside its data. */
const embeddedSize = 768
/** What waits in a batch, at each of two endpoints, when its outcomes cannot be written. */
const duplicatesPerFill = 128
// Little log is kept ready, so that the disk soon lacks room for more of it.
const settings = { max_wal_size: '64MB', min_wal_size: '32MB', checkpoint_timeout: '30s' }
const options = readOptions(script, "Fills PostgreSQL's disk under load.", {
  times: wholeNumber('how many times the disk fills up', 3),
  full: positive('seconds for which it stays full', 15),
  rate: positive('events a second', 40),
  calls: positive('API calls a second', 10),
  size: wholeNumber('megabytes of the disk', 384, 256),
  recovery: positive('seconds in which everything must be answered again once there is room', 30),
  seed: seedOption(),
})
const { times, full, rate, calls, size, recovery, seed } = options
const say = (line: string): void => console.log(`${timeOfDay(Date.now())} ${line}`)

type Round = { fullAtMs: number; freedAtMs: number; panics: number }

await runProof(script, async () => {
  console.log(`${script}: --times ${times} --full ${full} --rate ${rate} --calls ${calls} --seed ${seed}`)
  await using stack = new AsyncDisposableStack()
  endOnSignals(stack)
  const told = { proof: 'disk-full', seed, ...(await fillExternal(stack)), embedded: await fillOwn(stack) }
  const faults = [...told.faults, ...faultsOfEmbedded(told.embedded, recovery * 1_000)]
  for (const line of [...told.examples, ...told.embedded.examples, ...faults]) console.error(`${script}: ${line}`)
  const { examples: _, ...figures } = told
  console.log(JSON.stringify({ ...figures, faults: faults.length }))
  if (faults.length > 0) process.exitCode = 1
})

async function fillExternal(stack: AsyncDisposableStack): Promise<ReturnType<typeof figuresOf>> {
  const disk = stack.use(await mountSmallDisk(size))
  const postgres = stack.use(await startDebianPostgres({ dataFolder: disk.folder('data'), settings }))
  const supervisor = stack.use(supervise(postgres))
  const fleet = stack.use(await openFleet({ database: postgres.connection, replicas: 3 }))
  const load = startMixedLoad(fleet, { eventsPerSecond: rate, callsPerSecond: calls, seed })
  const watch = watchReadiness(fleet.baseUrls())
  stack.defer(() => watch.stop())
  await delay(warmUpMs)
  const rounds: Round[] = []
  for (let done = 0; done < times; done++) rounds.push(await fillOnce({ disk, fleet, supervisor, load }, done + 1))
  await Promise.all([load.stop(), watch.stop()])
  const readiness = readinessOf(rounds, { fleet, load, watch })
  return figuresOf(rounds, load, readiness, await judgeFleet(fleet, load))
}

async function fillOwn(stack: AsyncDisposableStack): Promise<EmbeddedFigures> {
  const disk = stack.use(await mountSmallDisk(embeddedSize))
  const embedded = { times: Math.min(times, 2), fullMs: full * 1_000, recoveryMs: recovery * 1_000, say }
  return await fillEmbedded(disk, embedded)
}

type World = { disk: SmallDisk; fleet: Fleet; supervisor: Supervisor; load: MixedLoad }

async function fillOnce({ disk, fleet, supervisor, load }: World, round: number): Promise<Round> {
  const before = supervisor.ends()
  const fullAtMs = Date.now()
  disk.fill()
  const end = performance.now() + full * 1_000
  // The first time tables alone are full. Later the log is switched as well, as an archive does: its next segment has no room.
  while (performance.now() < end) {
    if (round > 1) await fleet.deployment.db.statement((query) => query`select pg_switch_wal()`).catch(() => {})
    await delay(switchMs)
  }
  await disk.free()
  const freedAtMs = Date.now()
  const panics = supervisor.ends() - before
  say(`round ${round}: full for ${full} s, PostgreSQL ended ${panics} times`)
  const deadline = performance.now() + 2 * recovery * 1_000
  while (recoveredMs(load, freedAtMs) === null && performance.now() < deadline) await delay(100)
  await delay(warmUpMs)
  return { fullAtMs, freedAtMs, panics }
}

/** @returns milliseconds until an event, a write and a read were answered again; null while one of them was not */
function recoveredMs(load: MixedLoad, freedAtMs: number): number | null {
  const waits = (['event', 'write', 'read'] as const).map((what) => {
    const answered = load.heard.filter((answer) => answer.what === what && isAcknowledged(answer))
    return firstAfterMs(
      answered.map(({ atMs }) => atMs),
      freedAtMs,
    )
  })
  return waits.every((wait) => wait !== null) ? Math.max(...waits) : null
}

function readinessOf(
  rounds: readonly Round[],
  { fleet, load, watch }: { fleet: Fleet; load: MixedLoad; watch: ReadinessWatch },
) {
  return {
    notReadyMs: rounds.map((round) => notReadyAfterMs(watch.looks, load.heard, round)),
    tellsCause: fleet.replicas.some((replica) => tellsCause(replica.refusals().join('\n'))),
  }
}

function figuresOf(
  rounds: readonly Round[],
  load: MixedLoad,
  readiness: ReturnType<typeof readinessOf>,
  judged: Awaited<ReturnType<typeof judgeFleet>>,
) {
  const { examples, ...figures } = judged
  const recoveries = rounds.map(({ freedAtMs }) => recoveredMs(load, freedAtMs))
  const panics = rounds.reduce((sum, round) => sum + round.panics, 0)
  const refused = load.heard.filter(({ status }) => status === 503).length
  const readsWhileFull = rounds.map(({ fullAtMs, freedAtMs }) => {
    const isThen = (atMs: number): boolean => atMs > fullAtMs && atMs < freedAtMs
    return load.heard.filter((answer) => answer.what === 'read' && isAcknowledged(answer) && isThen(answer.atMs)).length
  })
  const faults = faultsOf(figures, { duplicates: rounds.length * duplicatesPerFill })
  if (refused === 0) faults.push('nothing was refused, so the disk was not full')
  if (times > 1 && panics === 0) faults.push('PostgreSQL never ended, so its log always had room')
  for (const wait of recoveries)
    if (wait === null || wait > recovery * 1_000) faults.push(`answered again after ${wait} ms`)
  faults.push(...faultsOfReadiness(readiness))
  const seen = {
    ...readiness,
    rounds: rounds.length,
    databaseEnds: panics,
    refused,
    readsWhileFull,
    recoveredMs: recoveries,
  }
  return { ...seen, ...figures, examples, faults }
}
