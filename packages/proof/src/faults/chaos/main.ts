// `npm run chaos`: the whole product under load, while its replicas, PostgreSQL and the provider die and every connection fails.

import type { Killable } from '../../rig/databases/database.ts'
import { embeddedPostgres } from '../../rig/databases/embedded.ts'
import { absencesOf } from '../../rig/deployment/absences.ts'
import { positive, seedOption, wholeNumber } from '../../rig/options.ts'
import { proof } from '../../rig/proof.ts'
import type { Run } from '../../rig/scenario.ts'
import { duplicatesMax } from '../../rig/verdict/duplicates.ts'
import type { BusinessPlan } from '../../rig/world.ts'
import { type Step, scheduleOf } from './schedule.ts'

type Given = { kills: number; minutes: number | undefined; gap: number; seed: number }

const replicas = 3
const storiesAtOnce = 10
const minuteMs = 60_000
const businesses: readonly BusinessPlan[] = (['best_effort', 'per_end_user', 'best_effort'] as const).map(
  (ordering) => ({ endpoints: [{ ordering }] }),
)
// The shortest that let a healthy machine keep up: what a dead replica held is taken over that much sooner.
const settings = {
  PROVIDER_TIMEOUT_MS: '2000',
  PROVIDER_CUSTOMER_TIMEOUT_MS: '2000',
  WEBHOOK_TIMEOUT_MS: '2000',
  WEBHOOK_RETRY_SECONDS: `0.2,0.4,0.8,${Array(17).fill('1').join(',')}`,
  DATABASE_POOL_MAX: '12',
}

const stepsOf = ({ kills, minutes, gap, seed }: Given): Step[] =>
  scheduleOf({ kills: minutes ? Math.ceil((minutes * minuteMs) / gap) : kills, replicas, seed, gapMs: gap })
const countOf = (steps: readonly Step[], what: Step['what']): number =>
  steps.filter((step) => step.what === what).length

await proof({
  script: 'chaos',
  promise:
    'Replicas, PostgreSQL and the provider die and every connection fails: nothing acknowledged is lost or doubled.',
  holds: [1, 2, 3, 4, 7, 10],
  options: {
    kills: wholeNumber('how many times something is killed', 20),
    minutes: positive('length of the run, in place of --kills', undefined),
    // Below a second the machine mostly starts replicas, and little is done between two kills.
    gap: positive('milliseconds between two kills', 1_000),
    seed: seedOption(),
  },
})
  .scenario({
    world: () => ({ database: embeddedPostgres(), replicas, businesses, settings, lines: true }),
    load: () => ({ stories: { atOnce: storiesAtOnce }, warmUpMs: 1_500 }),
    faults: perform,
    expect(options) {
      const steps = stepsOf(options)
      const [kills, faults] = [countOf(steps, 'kill'), countOf(steps, 'fault')]
      return {
        // A dead replica does not respond, and the caller asks another.
        allow: { unanswered: Number.POSITIVE_INFINITY, duplicate: duplicatesMax(kills, faults) },
        atLeast: { kills, acknowledged: 1, accounts: 1, deposits: 1 },
      }
    },
  })
  .start()

async function perform({ options, world, load, log, wait, count }: Run<Given, Killable>): Promise<void> {
  const absences = absencesOf(world)
  const providerAbsences: Promise<void>[] = []
  for (const step of stepsOf(options)) {
    await wait(step.afterMs / 1_000)
    if (step.what === 'kill') {
      await absences.kill(step.victim, step.downMs, step.death)
      count('kills')
      log(
        `${step.victim === 'database' ? `PostgreSQL (${step.death})` : `replica ${step.victim + 1}`}; ${load.summary()}`,
      )
    } else if (step.what === 'fault') {
      const line = world.lineOf(step.line)
      await line.set(step.fault)
      count('broken lines')
      setTimeout(() => void line.heal(), step.forMs).unref()
    } else {
      await Promise.all(providerAbsences)
      providerAbsences.push(world.provider.die(step.downMs))
    }
  }
  await wait(1)
  await Promise.all([absences.allUp(), ...providerAbsences])
}
