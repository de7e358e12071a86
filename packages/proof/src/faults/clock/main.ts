// `npm run proof:clock`: under load, the clock of one replica steps by ten minutes forward and back, and then by one hour back and
// stays there. The clock of PostgreSQL does the same afterwards.

import type { Clock, Database } from '../../rig/databases/database.ts'
import { debianPostgres } from '../../rig/databases/debian-plan.ts'
import { positive, seedOption, someOf, wholeNumber } from '../../rig/options.ts'
import { proof } from '../../rig/proof.ts'
import type { Run } from '../../rig/scenario.ts'
import { watchHousekeeping } from './housekeeping.ts'
import { isExplained, judgeClock, type Step, stepPrefix } from './verdict.ts'

type Given = { step: number; hold: number; back: number; stay: number; whose: readonly string[] }

const replicas = 3
const relays = 2
/** In flight at three endpoints when all leases end at once, at each of three steps forward. */
const duplicatesMax = 384

await proof({
  script: 'proof:clock',
  promise:
    'A clock steps by minutes and by an hour, to and fro: every call is served, and everything arrives in order.',
  holds: [1, 2, 4, 5, 15],
  options: {
    step: wholeNumber('seconds of a step, to and fro', 600),
    hold: positive('seconds from one step to the next', 15),
    back: wholeNumber('seconds of the long step back', 3_600),
    stay: positive('seconds for which the clock stays back, at least', 90),
    whose: someOf('whose clock steps', ['replica', 'database']),
    rate: positive('events a second', 30),
    calls: positive('API calls a second', 10),
    seed: seedOption(),
  },
})
  .scenario({
    world: () => ({
      database: debianPostgres({ clock: true }),
      clock: true,
      replicas,
      // Only the replica with the wrong clock signs, sends and sweeps: the others would hide that it stopped.
      argsOf: (index) => (index === 0 ? [] : ['--only', 'api']),
      businesses: [
        {
          endUsers: 40,
          endpoints: [
            { ordering: 'best_effort' },
            { ordering: 'per_end_user' },
            { ordering: 'best_effort', conduct: 'forgetful' },
          ],
        },
      ],
    }),
    load: ({ rate, calls }) => ({
      eventsPerSecond: rate,
      stories: { callsPerSecond: calls },
      calls: { callers: 1, pauseMs: 250, of: { create: 1 }, keys: 'twice' },
      answerMsMax: 20_000,
    }),
    faults: stepClocks,
    // A lease that was taken before PostgreSQL's clock went back ends that much later; no replica dates one.
    settleMs: ({ step, whose }) => 90_000 + (whose.includes('database') ? step * 1_000 : 0),
    expect: ({ step, back, whose }) => ({
      // A replica signs with its own time.
      signedOffMsMax: Math.max(step, back) * 1_000 + 5_000,
      allow: { duplicate: duplicatesMax },
      // After a step, until an event, a write and a read succeed again.
      recoveryMsMax: 5_000,
      none: ['lapsed notes', 'left unswept'],
      atLeast: { swept: whose.length },
      explains: isExplained,
      also: (observed) => judgeClock(observed, step),
    }),
  })
  .start()

async function stepClocks({
  options,
  world,
  log,
  wait,
  span,
  count,
  untilServing,
}: Run<Given, Database & { clock: Clock }>) {
  const { step, hold, back, stay, whose } = options
  const clocks: Readonly<Record<string, Clock>> = { replica: world.clock, database: world.database.clock }
  for (const name of whose) {
    const stepTo = async (offset: Step['offset']): Promise<void> => {
      clocks[name]?.stepTo(offset)
      log(`the clock of the ${name} is off by ${offset} s`)
    }
    const during = (offset: number, work: () => Promise<void>): Promise<void> =>
      span(`${stepPrefix}${name} ${offset}`, async () => {
        await stepTo(offset)
        await untilServing(`${name} off by ${offset} s`, hold)
        await work()
      })
    // Several servers compete for each lease that ends early.
    if (name === 'database')
      for (let more = 0; more < relays; more++) await world.addReplica({ args: ['--only', 'relay'], isRouted: false })
    for (const offset of [step, 0, -step, 0]) await during(offset, () => wait(hold))
    const servers = replicas + (name === 'database' ? relays : 0)
    await during(-back, () => watchHousekeeping(world, { whose: name, holdMs: stay * 1_000, servers, count, log }))
    await during(0, () => wait(hold))
  }
}
