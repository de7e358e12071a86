// The whole run: a database cluster, lanes that play side by side, every point of every path counted and then died, or frozen, at.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { forgetEmbedded, startEmbedded } from '../../../embedded-postgres/src/embedded.ts'
import { type Chance, chanceOf } from '../rig/chance.ts'
import { canFreeze, freeze } from './freeze/freeze.ts'
import type { Caller } from './judge.ts'
import type { Passed } from './probe.ts'
import { countPoints, type Death, type DeathReport, die } from './run.ts'
import { loadServer } from './server-process.ts'
import { type Planted, writeSources } from './sources.ts'
import { openStage, type Stage } from './stage.ts'
import { allStories } from './stories/all.ts'
import type { Story } from './stories/story.ts'

export type CrashOptions = {
  path?: string
  /** From 1, as the list of the path's points counts; or how a point's name begins. */
  point?: string
  /** The holder stops at its point while a second server ends the retry, or does the work of the loop. Then it continues. */
  freeze?: boolean
  /** So many deaths spread over all paths; all of them unless given. */
  sample?: number
  /** Every await separately, including awaits that look the same from outside. */
  every?: boolean
  seed: number
  lanes?: number
  planted?: readonly Planted[]
  say?: (line: string) => void
  /** Ends the run early and reports the points that were tried. */
  signal?: AbortSignal
}

export type CrashReport = {
  paths: number
  /** Places at awaits that the paths pass. */
  awaits: number
  /** Deaths there are: points × callers. */
  enumerated: number
  reports: DeathReport[]
  durationMs: number
}

/** Paths that are stopped at once in one server, each in its own business. */
const togetherMax = 24
const triesMax = 3

export async function runCrashPoints(options: CrashOptions): Promise<CrashReport> {
  const { say = () => {}, planted = [], lanes = 2, signal } = options
  const startedAt = performance.now()
  const stories = chooseStories(options)
  const play = options.freeze ? freeze : die
  const home = await mkdtemp(join(tmpdir(), 'causeway-crash-points-'))
  await using ends = new AsyncDisposableStack()
  ends.defer(() => rm(home, { recursive: true, force: true }))
  const sources = { file: join(home, 'sources.json'), compiled: join(home, 'compiled') }
  await writeSources(sources.file, planted)
  await loadServer(sources).end() // V8 keeps the compiled code for the servers that are killed
  const cluster = await startEmbedded({ home: join(home, 'database'), durable: false })
  ends.defer(async () => {
    await cluster.stop()
    await forgetEmbedded(join(home, 'database'))
  })
  const stages: Stage[] = []
  for (let lane = 0; lane < lanes; lane++) stages.push(ends.use(await openStage(sources, cluster.connection)))

  const pointsOf = new Map<Story, string[]>()
  let awaits = 0
  const wrong: string[] = []
  await overLanes(
    stages,
    inGroups(stories, ({ env }) => JSON.stringify(env)),
    signal,
    async (stage, story) => {
      const passed = await countPatiently(stage, story).catch((error: unknown) => {
        wrong.push(
          `${story.name} does not even go well without a kill: ${error instanceof Error ? error.message : error}`,
        )
        return []
      })
      const points = options.every ? passed : distinct(passed)
      awaits += passed.length
      pointsOf.set(
        story,
        points.map(({ point }) => point),
      )
      say(`${story.name}: ${points.length} points at ${passed.length} places`)
    },
  )
  if (wrong.length > 0) throw new Error(wrong.join('\n'))
  const all = stories.flatMap((story) => deathsOf(story, pointsOf.get(story) ?? [], options))
  const chosen = chooseDeaths(all, options, pointsOf)
  const reports: DeathReport[] = []
  await overLanes(stages, batchesOf(chosen), signal, async (stage, batch) => {
    for (const report of await playUntilReached(stage, batch, play)) {
      reports.push(report)
      for (const fault of report.faults) say(`${nameOf(report.death, pointsOf)}: ${fault}`)
    }
  })
  return {
    paths: stories.length,
    awaits,
    enumerated: all.length,
    reports,
    durationMs: Math.round(performance.now() - startedAt),
  }
}

const countPatiently = (stage: Stage, story: Story) => patiently(stage, () => countPoints(stage, story))

/** A machine that is busy with something else may have kept a scene waiting too long before it began. */
async function patiently<T>(stage: Stage, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch {
    await stage.kill()
    return await work()
  }
}

/** Keeps the last of the points without an exchange between them: from outside, they are the same state. */
function distinct(passed: readonly Passed[]): Passed[] {
  return passed.filter(({ exchanges }, at) => exchanges !== passed[at + 1]?.exchanges)
}

function deathsOf(story: Story, points: readonly string[], options: CrashOptions): Death[] {
  const callers: Caller[] = []
  if (story.watch === 'request') callers.push('repeats')
  if (!options.freeze || story.watch !== 'request') callers.push('goes')
  return points.flatMap((point) => callers.map((caller) => ({ story, point, caller })))
}

/** The options that run only this death. */
export function nameOf({ story, point, caller }: Death, pointsOf: ReadonlyMap<Story, readonly string[]>): string {
  const number = (pointsOf.get(story)?.indexOf(point) ?? -1) + 1
  return `--path ${story.name} --point ${number} (${point}, the caller ${caller})`
}

/** @returns where holders are frozen, only as many as the sample needs: to count the points of one takes a second */
function chooseStories({ path, freeze: isFreeze, sample, seed }: CrashOptions): Story[] {
  const stories = allStories().filter(
    (story) => (path === undefined || story.name === path) && (!isFreeze || canFreeze(story)),
  )
  if (stories.length === 0)
    throw new Error(`there is no path ${path}${isFreeze ? ' at which a holder can be frozen' : ''}`)
  const isDrawn = isFreeze && sample !== undefined && sample < stories.length
  return isDrawn ? spread(stories, sample, chanceOf(seed, 1)) : stories
}

function chooseDeaths(
  all: readonly Death[],
  options: CrashOptions,
  pointsOf: ReadonlyMap<Story, readonly string[]>,
): Death[] {
  const { point, sample, seed } = options
  if (point !== undefined)
    return all.filter(
      (death) => death.point.startsWith(point) || pointsOf.get(death.story)?.[Number(point) - 1] === death.point,
    )
  if (sample === undefined || sample >= all.length) return [...all]
  return spread(all, sample, chanceOf(seed, 0))
}

/** Evenly over the list, which goes path by path, from a place that the seed decides. */
function spread<T>(all: readonly T[], count: number, chance: Chance): T[] {
  const step = all.length / count
  const offset = chance.below(1_000_000) / 1_000_000
  return Array.from({ length: count }, (_, at) => all[Math.floor((at + offset) * step)]).filter(
    (item) => item !== undefined,
  )
}

/** Those that may share a server, and one by one those that may not. */
function batchesOf(deaths: readonly Death[]): Death[][] {
  const shared = inGroups(
    deaths.filter(({ story }) => !story.alone),
    ({ story }) => JSON.stringify(story.env),
  )
  const batches: Death[][] = []
  for (let at = 0; at < shared.length; ) {
    const env = JSON.stringify(shared[at]?.story.env)
    const batch = shared.slice(at, at + togetherMax).filter(({ story }) => JSON.stringify(story.env) === env)
    batches.push(batch)
    at += batch.length
  }
  const alone = inGroups(
    deaths.filter(({ story }) => story.alone),
    ({ story }) => JSON.stringify(story.env),
  )
  return [...batches, ...alone.map((death) => [death])]
}

function inGroups<T>(items: readonly T[], keyOf: (item: T) => string): T[] {
  return [...Map.groupBy(items, keyOf).values()].flat()
}

/** Repeats a death alone if other deaths kept it from its point. */
async function playUntilReached(stage: Stage, batch: readonly Death[], play: typeof die): Promise<DeathReport[]> {
  const reports = await patiently(stage, () => play(stage, batch))
  for (const [at, report] of reports.entries()) {
    for (let tries = 1; tries < triesMax && !reports[at]?.reached && report.faults.length === 0; tries++)
      reports.splice(at, 1, ...(await play(stage, [report.death])))
  }
  return reports
}

async function overLanes<T>(
  stages: readonly Stage[],
  items: readonly T[],
  signal: AbortSignal | undefined,
  work: (stage: Stage, item: T) => Promise<void>,
): Promise<void> {
  const rest = [...items]
  await Promise.all(
    stages.map(async (stage) => {
      for (let item = rest.shift(); item !== undefined; item = rest.shift()) {
        if (signal?.aborted) return
        await work(stage, item)
      }
    }),
  )
}
