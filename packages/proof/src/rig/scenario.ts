// One scenario of a proof: opens its world, starts its load, causes its faults, heals, waits, gathers evidence and judges.

import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Chance } from './chance.ts'
import type { Database } from './databases/database.ts'
import { openWorld } from './deployment/open-world.ts'
import { observe } from './evidence/evidence.ts'
import { saveObserved } from './evidence/saved.ts'
import { count } from './ledger.ts'
import { type Load, type LoadPlan, startLoad } from './load/load.ts'
import type { Expectation } from './verdict/expectation.ts'
import { servingAfterMs } from './verdict/gaps.ts'
import type { Observed } from './verdict/observed.ts'
import { allowedOf, judge } from './verdict/verdict.ts'
import type { World, WorldPlan } from './world.ts'

export type Scenario<O, D extends Database> = {
  name?: string
  world(options: O): WorldPlan<D>
  load(options: O): LoadPlan
  /** Causes the faults. Before this call the load has warmed up; after it everything is healed, settled and judged. */
  faults(run: Run<O, D>): Promise<void>
  expect(options: O): Expectation
  /** After healing, for all the work that is in progress, in milliseconds. Default: a minute. */
  settleMs?(options: O): number
  /** In addition to the figures of the verdict. */
  figures?(): object
}

export type Run<O, D extends Database> = {
  options: O
  world: World<D>
  load: Load
  /** Returns a separate random stream, derived from --seed. */
  chance(stream: number): Chance
  log(line: string): void
  /** Waits while the load runs. */
  wait(seconds: number): Promise<void>
  /** Judges what happens during `work` separately. */
  span<T>(name: string, work: () => Promise<T>): Promise<T>
  /** Waits until an event, a write and a read (those that the load has) succeed again; records the time in the ledger. */
  untilServing(name: string, limitSeconds: number): Promise<void>
  count(name: string, by?: number): void
}

/** The result of one part of a proof. */
export type PartResult = { figures: object; faults: readonly string[]; examples?: readonly string[] }

export type PartRun<O> = Pick<Run<O, Database>, 'options' | 'log' | 'chance' | 'wait'>

const warmUpMsDefault = 5_000
const lookMs = 100

export async function runScenario<O, D extends Database>(
  script: string,
  scenario: Scenario<O, D>,
  run: PartRun<O>,
  stack: AsyncDisposableStack,
): Promise<PartResult> {
  const plan = scenario.load(run.options)
  const world = await openWorld(scenario.world(run.options), stack)
  const load = startLoad(world, plan, run.chance(0).below(2 ** 31))
  stack.defer(() => load.stop())
  await delay(plan.warmUpMs ?? warmUpMsDefault)
  await scenario.faults({ ...run, world, load, ...observing(load) })
  await world.heal()
  await load.stop()
  const observed = await observe(world, load, scenario.settleMs?.(run.options))
  const expect = scenario.expect(run.options)
  const { figures, findings, faults } = judge(observed, expect)
  if (faults.length > 0) run.log(`the ledger is in ${await save(script, observed, expect)}`)
  return {
    figures: { ...figures, ...scenario.figures?.() },
    faults,
    examples: findings
      .filter(({ kind }) => findings.filter((one) => one.kind === kind).length > allowedOf(expect, kind))
      .map(({ kind, text }) => `${kind}: ${text}`),
  }
}

function observing({ ledger }: Load): Pick<Run<never, never>, 'span' | 'untilServing' | 'count'> {
  return {
    count: (name, by) => count(ledger, name, by),
    async span(name, work) {
      const span = { name, fromMs: Date.now(), toMs: Number.POSITIVE_INFINITY }
      ledger.spans.push(span)
      try {
        return await work()
      } finally {
        span.toMs = Date.now()
      }
    },
    async untilServing(name, limitSeconds) {
      const fromMs = Date.now()
      const deadline = performance.now() + limitSeconds * 1_000
      let tookMs = servingAfterMs(ledger, fromMs)
      while (tookMs === null && performance.now() < deadline) {
        await delay(lookMs)
        tookMs = servingAfterMs(ledger, fromMs)
      }
      ledger.recoveries.push({ name, tookMs })
    },
  }
}

/** In a folder that outlives the run: `npm run judge -- FILE` judges it again. @returns the file */
async function save(script: string, observed: Observed, expect: Expectation): Promise<string> {
  const file = join(mkdtempSync(join(tmpdir(), 'causeway-ledger-')), `${script.replaceAll(':', '-')}.jsonl`)
  await saveObserved(file, observed, expect)
  return file
}
