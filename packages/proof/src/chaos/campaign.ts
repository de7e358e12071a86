// One chaos run: load, kills and faults by the schedule; then everything is healed, open work ends, and the verdict follows.

import { setTimeout as delay } from 'node:timers/promises'
import { chanceOf } from '../rig/chance.ts'
import { callerOf, type Tally } from '../rig/load/caller.ts'
import { pullEvents, type Teller, tellStories } from '../rig/load/stories.ts'
import { emptyLedger, type Ledger } from './ledger.ts'
import { type Step, scheduleOf } from './schedule.ts'
import { untilSettled } from './settled.ts'
import { type BusinessEvidence, gatherEvidence } from './verdict/evidence.ts'
import { type Figures, judge } from './verdict/verdict.ts'
import { type ChaosBusiness, type ChaosWorld, openChaosWorld } from './world.ts'

export type ChaosOptions = {
  kills: number
  seed: number
  /** Between two kills, in the mean. */
  gapMs: number
  replicas?: number
  /** End-users at a time, of each business. */
  stories?: number
  say?: (line: string) => void
  /** Ends the run early, and cleanly. */
  signal?: AbortSignal
}

export type ChaosReport = {
  figures: Figures & { seed: number; durationMs: number }
  violations: string[]
}

const businesses = 3
const warmUpMs = 1_500
const settleMsMax = 60_000
/** Once everything else is settled, or should be. */
const patienceMsMax = 15_000

export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const { kills, seed, gapMs, replicas = 3, stories = 10, say = () => {}, signal } = options
  const startedAt = performance.now()
  const chance = chanceOf(seed, 1)
  const marks = Array.from(
    { length: businesses },
    () => `mark${hex(chance.below(2 ** 32))}${hex(chance.below(2 ** 32))}`,
  )
  await using world = await openChaosWorld({ replicas, marks })
  say(`three businesses on ${replicas} replicas, after ${Math.round(performance.now() - startedAt)} ms`)
  const schedule = scheduleOf({ kills, replicas, seed, gapMs })

  const load = startLoad(world, seed, stories)
  try {
    await delay(warmUpMs, undefined, { ...(signal ? { signal } : {}) })
    await perform(world, schedule, () => load.tally.acknowledged, say, signal)
  } catch (error) {
    await load.abandon()
    throw error
  }
  const { tally, ledger } = load
  const repeated = JSON.stringify(Object.fromEntries(tally.repeated))
  say(`all is healed after ${tally.acknowledged} acknowledged writes; repeated: ${repeated}`)
  load.beginNothing()
  const stuck = await untilSettled(world, settleMsMax)
  say(stuck.length === 0 ? 'nothing is left under way' : `left under way: ${stuck.join('; ')}`)
  await load.finish()
  const evidence = await gatherEvidence(world, (business) =>
    callerOf(business, world.victims.baseUrl, tally, AbortSignal.timeout(settleMsMax)),
  )
  const { findings, deposits } = judge(evidence, ledger)
  const broken = [...tally.violations, ...findings.broken]
  const count = (rowsOf: (one: BusinessEvidence) => readonly unknown[]): number =>
    evidence.businesses.reduce((sum, one) => sum + rowsOf(one).length, 0)
  return {
    figures: {
      kills,
      acknowledged: tally.acknowledged,
      lost: findings.lost.length,
      doubledUpstream: findings.doubled.length,
      stuck: stuck.length,
      duplicates: findings.duplicates,
      broken: broken.length,
      endUsers: count(({ users }) => users),
      accounts: count(({ accounts }) => accounts),
      deposits,
      events: count(({ events }) => events),
      faults: schedule.filter(({ what }) => what === 'fault').length,
      seed,
      durationMs: Math.round(performance.now() - startedAt),
    },
    violations: [...findings.lost, ...findings.doubled, ...stuck, ...broken],
  }
}

type Load = {
  tally: Tally
  ledger: Ledger
  /** Ends the open stories and begins no other. */
  beginNothing(): void
  /** Resolves when every caller has its answer, or has waited too long, and has pulled all events. */
  finish(): Promise<void>
  /** Nobody waits for anything any more. */
  abandon(): Promise<void>
}

function startLoad(world: ChaosWorld, seed: number, stories: number): Load {
  const tally: Tally = { acknowledged: 0, repeated: new Map(), violations: [] }
  const ledger = emptyLedger()
  const patience = { ofCallers: new AbortController(), ofPullers: new AbortController() }
  let [isOver, isQuiet] = [false, false]
  const tellerFor = (business: ChaosBusiness, whose: keyof typeof patience): Teller => ({
    business,
    caller: callerOf(business, world.victims.baseUrl, tally, patience[whose].signal),
    ledger,
    provider: world.provider,
    complain: (text) => void tally.violations.push(text),
    isOver: () => (whose === 'ofCallers' ? isOver : isQuiet),
  })
  const telling = Promise.all(
    world.businesses.flatMap((business) =>
      Array.from({ length: stories }, (_, at) =>
        tellStories(tellerFor(business, 'ofCallers'), `s${at}`, chanceOf(seed, 100 * (business.index + 1) + at)),
      ),
    ),
  )
  const pulling = Promise.all(world.businesses.map((business) => pullEvents(tellerFor(business, 'ofPullers'))))
  for (const work of [telling, pulling]) work.catch(() => {}) // the code that awaits it reports the error
  const atMost = async (work: Promise<unknown>, patience: AbortController): Promise<void> => {
    const timer = setTimeout(() => patience.abort(), patienceMsMax)
    await work.finally(() => clearTimeout(timer))
  }
  return {
    tally,
    ledger,
    beginNothing() {
      isOver = true
    },
    async finish() {
      await atMost(telling, patience.ofCallers)
      isQuiet = true
      await atMost(pulling, patience.ofPullers)
    },
    async abandon() {
      isOver = true
      isQuiet = true
      for (const one of Object.values(patience)) one.abort()
      await Promise.allSettled([telling, pulling])
    },
  }
}

const hex = (value: number): string => value.toString(16).padStart(8, '0')

async function perform(
  world: ChaosWorld,
  schedule: readonly Step[],
  acknowledged: () => number,
  say: (line: string) => void,
  signal?: AbortSignal,
): Promise<void> {
  const absences: Promise<void>[] = []
  let kills = 0
  for (const step of schedule) {
    await delay(step.afterMs, undefined, { ...(signal ? { signal } : {}) })
    switch (step.what) {
      case 'kill': {
        await world.victims.kill(step.victim, step.death, step.downMs)
        kills += 1
        const victim = step.victim === 'database' ? `the database (${step.death})` : `replica ${step.victim}`
        say(`kill ${kills}: ${victim}, after ${acknowledged()} acknowledged writes`)
        break
      }
      case 'fault': {
        const proxy = world.lineOf(step.line)
        await proxy.set(step.fault)
        const over = setTimeout(() => void proxy.heal(), step.forMs)
        over.unref()
        break
      }
      case 'absence':
        await Promise.all(absences)
        absences.push(world.provider.die(step.downMs))
        break
    }
  }
  await delay(1_000)
  await world.heal()
  await Promise.all([world.victims.allUp(), ...absences])
}
