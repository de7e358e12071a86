// Tells stories to a real server until enough requests were sent, then adds up what its answers, its log, its metrics, its
// memory and its database's files told.

import { operations } from '../../../server/test/caller.ts'
import { searchDatabaseFiles } from '../../../server/test/canary-search.ts'
import { echoIn, freshMark, identityPattern } from '../fuzz/marks.ts'
import { type FuzzWorld, type Held, openFuzzWorld, openUnlimitedWorld } from '../fuzz/world.ts'
import { meetLimits } from './default-limits.ts'
import type { FindingKind } from './judge.ts'
import { attackRaw } from './raw-sockets.ts'
import { drawOf } from './requests/draw.ts'
import { asCurl, openWire } from './requests/wire.ts'
import { shrink } from './shrink.ts'
import { asker, type Stage, type Tally, tellStory } from './story.ts'
import { openBusinesses } from './walk.ts'

export type CampaignOptions = {
  requests: number
  seed: number
  /** Only this story, as it was told under this seed. */
  story?: number
  say?: (line: string) => void
  /** Ends it before its time: everything is stopped and removed, and `runCampaign` throws. */
  signal?: AbortSignal
}

export type Figures = {
  requests: number
  serverErrors: number
  schemaBreaks: number
  echoes: number
  modelBreaks: number
  seed: number
  stories: number
  rawAttempts: number
  /** By default limits. */
  refusedByRate: number
  operations: number
  /** Of those, without any success. */
  neverSucceeded: string[]
  statuses: Record<string, number>
  before: Held
  after: Held
  durationMs: number
}

/** `examples`: the first failures, each with the request that shows it. */
export type Report = Figures & { examples: string[] }

const storiesAtOnce = 12
const examplesMax = 12
/** Enough requests that every operation went well at least once, and that the flood of the default limits is the smaller part. */
export const requestsToJudge = 4_000
/** Reading every file of the database takes longer than a short run. */
const requestsToSearchFor = 20_000
const rawShare = 0.04

type Book = { counts: Record<FindingKind, number>; examples: string[]; seen: Set<string>; pending: Promise<void>[] }

export async function runCampaign(options: CampaignOptions): Promise<Report> {
  const { requests, seed, story, say = () => {}, signal = new AbortController().signal } = options
  const begun = performance.now()
  const book: Book = {
    counts: { serverError: 0, schemaBreak: 0, echo: 0, modelBreak: 0 },
    examples: [],
    seen: new Set(),
    pending: [],
  }
  const tally: Tally = { requests: 0, statuses: new Map(), report: () => {} }
  await using world = await openUnlimitedWorld()
  const wire = openWire(world.facts.baseUrl)
  record(book, tally, wire, seed)
  const stage: Stage = { world, wire, tally, seed, signal, isOver: () => tally.requests >= requests }
  let next = story ?? 0
  let rawAttempts = 0
  await tellStory({ ...stage, isOver: () => false }, next++) // modules that load once are loaded before memory is measured
  const before = await world.held()
  const tellAll = async (): Promise<void> => {
    while (!stage.isOver() && story === undefined) {
      const index = next++
      await tellStory(stage, index).catch((error: unknown) => {
        if (!world.isRunning() || signal.aborted) throw error
        book.counts.modelBreak += 1
        book.examples.push(`story ${index} ended: ${error instanceof Error ? error.message : String(error)}`)
      })
      for (; rawAttempts < tally.requests * rawShare; rawAttempts++) await attack(stage, book, rawAttempts)
      if (index % 100 === 0) say(`story ${index}, ${tally.requests} requests`)
    }
  }
  await Promise.all(Array.from({ length: storiesAtOnce }, tellAll))
  await Promise.all(book.pending)
  wire.close()
  const after = await world.held()
  await lookBehind(world, book, requests)
  const meetsLimits = story === undefined && requests >= requestsToJudge
  const refusedByRate = meetsLimits ? await withDefaultLimits(tally, seed, signal) : 0
  await Promise.all(book.pending)
  const reached = (id: string): boolean => tally.statuses.get(id)?.has(200) ?? false
  return {
    requests: tally.requests + rawAttempts,
    serverErrors: book.counts.serverError,
    schemaBreaks: book.counts.schemaBreak,
    echoes: book.counts.echo,
    modelBreaks: book.counts.modelBreak,
    seed,
    stories: next,
    rawAttempts,
    refusedByRate,
    operations: [...tally.statuses.keys()].length,
    neverSucceeded: operations.filter(({ id }) => !reached(id)).map(({ id }) => id),
    statuses: summed(tally),
    before,
    after,
    durationMs: Math.round(performance.now() - begun),
    examples: book.examples,
  }
}

/** Each kind of failure of an operation is shown once, made small. */
function record(book: Book, tally: Tally, wire: Parameters<typeof shrink>[0], seed: number): void {
  tally.report = ({ kind, what }, made, story) => {
    book.counts[kind] += 1
    const name = `${kind} ${made.sent.method} ${made.operation?.id ?? ''} ${what.replace(/[0-9a-z]{20,}|\d+/g, '#').slice(0, 80)}`
    if (book.seen.has(name) || book.examples.length + book.pending.length >= examplesMax) return
    book.seen.add(name)
    // What cannot be true after something else is not told by one request alone.
    const smallest =
      kind === 'modelBreak' ? Promise.resolve({ sent: made.sent, repeats: true }) : shrink(wire, made, kind)
    const shown = smallest.then(({ sent, repeats }) => {
      const how = repeats ? '' : ' (did not fail again by itself)'
      book.examples.push(`${kind}: ${what}\n  --seed ${seed} --story ${story}${how}\n  ${asCurl(sent)}`)
    })
    book.pending.push(shown)
  }
}

async function attack({ world, seed }: Stage, book: Book, index: number): Promise<void> {
  const { findings, shown } = await attackRaw(drawOf(seed ^ 0x5eed, index), Number(new URL(world.facts.baseUrl).port))
  for (const { kind, what } of findings) {
    book.counts[kind] += 1
    if (book.examples.length < examplesMax) book.examples.push(`${kind}: ${what}\n  raw: ${JSON.stringify(shown)}`)
  }
}

/** What the server keeps to itself must not hold it either. */
async function lookBehind(world: FuzzWorld, book: Book, requests: number): Promise<void> {
  const add = (kind: FindingKind, what: string): void => {
    book.counts[kind] += 1
    book.examples.push(`${kind}: ${what}`)
  }
  if (!world.isRunning()) add('serverError', 'the server ended')
  for (const line of world.logErrors) add('serverError', `logged an error: ${line}`)
  for (const line of world.logEchoes) add('echo', `logged: ${line}`)
  const echoed = echoIn(await (await fetch(`${world.facts.baseUrl}/metrics`)).text())
  if (echoed) add('echo', `in /metrics: ${echoed}`)
  if (requests < requestsToSearchFor) return
  const { files, hits } = await searchDatabaseFiles(world.database, identityPattern)
  if (files < 100) throw new Error(`only ${files} files of the database could be searched`)
  for (const hit of hits.slice(0, 5)) add('echo', `identity data is stored in ${hit}`)
}

async function withDefaultLimits(tally: Tally, seed: number, signal: AbortSignal): Promise<number> {
  await using world = await openFuzzWorld({})
  const wire = openWire(world.facts.baseUrl)
  const ask = asker({ world, wire, tally, seed, signal, isOver: () => false }, -1)
  const [business, foreign] = await openBusinesses(ask, world.facts.adminSecret)
  const { inboxUrl, facts } = world
  const making = { draw: drawOf(seed, -1), mark: freshMark }
  const refused = await meetLimits(ask, { making, business, foreign, inboxUrl, adminSecret: facts.adminSecret })
  wire.close()
  return refused
}

function summed({ statuses }: Tally): Record<string, number> {
  const sums: Record<string, number> = {}
  for (const counts of statuses.values())
    for (const [status, count] of counts) sums[status] = (sums[status] ?? 0) + count
  return sums
}
