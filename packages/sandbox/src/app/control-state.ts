// Commands on the sandbox as a whole: what there is, what time it is, and starting over.

import type { Operation } from '../platform/operations.ts'
import { advanceIn, renderClock } from '../state/clock.ts'
import type { Table } from '../state/state.ts'
import type { World } from '../state/world.ts'
import type { Delivery } from '../webhooks/delivery.ts'
import type { Faults } from './faults.ts'

export const stateCommands = (
  world: World,
  { faults, delivery }: { faults: Faults; delivery: Delivery },
): Operation[] => [
  {
    method: 'GET',
    path: '/state',
    run: () => {
      const { state } = world
      return {
        customers: census(state.customers),
        kyc_links: census(state.kycLinks),
        agreements: census(state.agreements),
        virtual_accounts: census(state.virtualAccounts),
        deposits: census(state.deposits),
        activities: census(state.activities),
        webhooks: census(state.webhooks),
        events: { count: state.events.size, ids: state.events.all().map(({ envelope }) => envelope.event_id) },
        idempotency_keys: { count: state.answers.size },
        tos_sessions: { count: state.sessions.all().filter(({ page }) => page === 'tos').length },
        pending_tasks: { count: state.tasks.size },
      }
    },
  },
  {
    method: 'GET',
    path: '/events',
    run: () => {
      const data = world.state.events.all().map(({ envelope }) => envelope)
      return { count: data.length, data }
    },
  },
  { method: 'GET', path: '/clock', run: () => renderClock(world.clock) },
  {
    method: 'POST',
    path: '/clock',
    run: ({ body }) => {
      world.advance(advanceIn(world.clock, body))
      return renderClock(world.clock)
    },
  },
  {
    method: 'POST',
    path: '/reset',
    run: () => {
      world.state.reset()
      faults.clear()
      world.behaviour.restore()
      delivery.wake()
      return { reset: true }
    },
  },
]

const census = <Row extends { id: string }>(table: Table<Row>) => ({
  count: table.size,
  ids: table.all().map(({ id }) => id),
})
