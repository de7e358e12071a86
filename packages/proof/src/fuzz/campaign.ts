// Attacks a real server: with broken bytes, on raw sockets, and with Schemathesis. Adds up what the responses, the log, the
// metrics, the memory and the database's files show.

import { dataOf, operations } from '../../../server/test/caller.ts'
import { searchDatabaseFiles } from '../../../server/test/canary-search.ts'
import { sendBrokenBytes } from './broken-bytes.ts'
import { meetLimits } from './default-limits.ts'
import { echoIn, identityPattern } from './marks.ts'
import { attackRaw } from './raw-sockets.ts'
import { lackOfSchemathesis, leftOut, requestsToAll, runSchemathesis, type SchemathesisRun } from './schemathesis.ts'
import { type Walked, walk } from './walk.ts'
import { type FuzzWorld, type Held, openUnlimitedWorld } from './world.ts'

export type Figures = {
  seed: number
  brokenBytes: number
  rawSockets: number
  /** Null without Python. */
  schemathesis: SchemathesisFigures | null
  /** By default limits; null in a short run. */
  refusedByRate: number | null
  before: Held
  after: Held
  durationMs: number
}

export type SchemathesisFigures = Pick<SchemathesisRun, 'found' | 'excepted' | 'checked'> & {
  requests: number
  /** Operations without any success. */
  neverSucceeded: string[]
}

/** `shown`: the failures as Schemathesis prints them, or why it was skipped; null without any. */
export type Report = { figures: Figures; faults: string[]; shown: string | null }

type Options = { requests: number; seed: number; signal: AbortSignal }

/** Requests of Schemathesis for each round of broken bytes and raw sockets. */
const requestsPerRound = 2_000
/** Reading every file of the database takes longer than a short run. */
const requestsToSearchFor = 10_000

export async function runCampaign(options: Options): Promise<Report> {
  const { requests, seed, signal } = options
  const beganMs = performance.now()
  await using world = await openUnlimitedWorld()
  const walked = [await walk(world), await walk(world)] as const
  const rounds = Math.ceil(requests / requestsPerRound)
  const bytes = await sendBrokenBytes(world, walked, { rounds, seed, signal })
  const sockets = await attackRaw(Number(new URL(world.facts.baseUrl).port), walked[0].business.apiKey, rounds)
  const before = await world.held() // what loads once is loaded by now
  const { figures: schemathesis, shown } = await attackWithSchemathesis(world, walked, options)
  await endWhatOthersName(walked[0])
  const after = await world.held()
  const faults = [
    ...bytes.faults,
    ...sockets.faults,
    ...(schemathesis ? faultsOf(schemathesis, requests >= requestsToAll) : []),
    ...growthOf(before, after),
    ...(await lookBehind(world, requests)),
  ]
  const limits =
    requests >= requestsToAll
      ? await meetLimits().catch((error) => ({ refused: 0, faults: [`default limits: ${error}`] }))
      : null
  faults.push(...(limits?.faults ?? []))
  if (schemathesis && shown !== null && faults.length === 0) faults.push('Schemathesis failed: see its output')
  const figures = {
    ...{ seed, brokenBytes: bytes.sent, rawSockets: sockets.sent, schemathesis },
    refusedByRate: limits?.refused ?? null,
    ...{ before, after, durationMs: Math.round(performance.now() - beganMs) },
  }
  return { figures, faults, shown }
}

async function attackWithSchemathesis(
  world: FuzzWorld,
  walked: readonly [Walked, Walked],
  options: Options,
): Promise<{ figures: SchemathesisFigures | null; shown: string | null }> {
  const lack = lackOfSchemathesis()
  if (lack) return { figures: null, shown: `skipped Schemathesis: ${lack}` }
  const { statuses, shown, ...counted } = await runSchemathesis(world, walked, options)
  const spared = leftOut(options.requests, options.seed)
  const requests = Object.values(statuses)
    .flatMap(Object.values<number>)
    .reduce((sum, count) => sum + count, 0)
  const neverSucceeded = operations.map(({ id }) => id).filter((id) => !spared.includes(id) && !statuses[id]?.['200'])
  return { figures: { ...counted, requests, neverSucceeded }, shown }
}

/** Calls the operations of `calledLast`. */
async function endWhatOthersName({ business }: Walked): Promise<void> {
  await business.call('DELETE', '/v0/webhook-url')
  dataOf(await business.call('POST', '/v0/sandbox/reset'))
}

/** Names of counts in `checked`: a run over all operations proves less than it promises if one is missing. */
const checks = ['repeats', 'created', 'deleted', 'foreign', 'credentials'] as const

export function faultsOf(
  { found, checked, neverSucceeded }: Pick<SchemathesisFigures, 'found' | 'checked' | 'neverSucceeded'>,
  isOfAll: boolean,
): string[] {
  // A part of the operations gets few cases each: some need an object in a state that the first case may have ended.
  const failed = isOfAll ? neverSucceeded : []
  const unchecked = isOfAll ? checks.filter((check) => !checked[check]) : []
  return [
    ...Object.entries(found).map(([what, count]) => `${count} times: ${what}`),
    ...unchecked.map((check) => `Schemathesis checked nothing for ${check}`),
    ...(failed.length > 0 ? [`Schemathesis never got a success of ${failed.join(', ')}`] : []),
  ]
}

const heapGrowthMiBMax = 48
const openFilesGrowthMax = 64

export function growthOf(before: Pick<Held, 'heapMiB' | 'openFiles'>, after: typeof before): string[] {
  const faults: string[] = []
  if (!(after.heapMiB <= before.heapMiB + heapGrowthMiBMax))
    faults.push(`the heap grew from ${before.heapMiB} to ${after.heapMiB} MiB`)
  if (!(after.openFiles <= before.openFiles + openFilesGrowthMax))
    faults.push(`open files grew from ${before.openFiles} to ${after.openFiles}`)
  return faults
}

async function lookBehind(world: FuzzWorld, requests: number): Promise<string[]> {
  const echoed = echoIn(await (await fetch(`${world.facts.baseUrl}/metrics`)).text())
  return [
    ...(world.isRunning() ? [] : ['the server ended']),
    ...world.logErrors.map((line) => `logged an error: ${line}`),
    ...world.logEchoes.map((line) => `the log repeats what was sent: ${line}`),
    ...(echoed ? [`/metrics repeats what was sent: ${echoed}`] : []),
    ...(requests < requestsToSearchFor ? [] : await storedIdentity(world)),
  ]
}

async function storedIdentity({ database }: FuzzWorld): Promise<string[]> {
  const { files, hits } = await searchDatabaseFiles(database, identityPattern)
  if (files < 100) throw new Error(`only ${files} files of the database could be searched`)
  return hits.slice(0, 5).map((hit) => `identity data is stored in ${hit}`)
}
