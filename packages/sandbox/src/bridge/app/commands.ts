// The control commands that know Bridge's objects.
import type { Operation } from '../../platform/operations.ts'
import type { Table } from '../../state/table.ts'
import { customerCommands } from '../customers/commands.ts'
import { depositCommands } from '../deposits/commands.ts'
import { rfiCommands } from '../rfis/routes.ts'
import type { World } from '../state/world.ts'
import { virtualAccountCommands } from '../virtual-accounts/commands.ts'
import type { Delivery } from '../webhooks/delivery.ts'
import { upcomingEvents, webhookById } from '../webhooks/endpoints.ts'

export const bridgeCommands = (world: World, delivery: Delivery): Operation[] => [
  ...customerCommands(world),
  ...virtualAccountCommands(world),
  ...depositCommands(world),
  ...rfiCommands(world),
  ...stateCommands(world),
  ...webhookCommands(world, delivery),
]

const stateCommands = (world: World): Operation[] => [
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
        rfis: census(state.rfis),
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
    run: () => counted(world.state.events.all().map(({ envelope }) => envelope)),
  },
]

const webhookCommands = (world: World, delivery: Delivery): Operation[] => [
  { method: 'GET', path: '/webhooks/deliveries', run: () => counted(world.state.attempts.all().reverse()) },
  {
    method: 'POST',
    path: '/webhooks/:id/flush',
    run: ({ param }) => {
      const webhook = webhookById(world, param('id'))
      delivery.flush(webhook.id)
      return { webhook_id: webhook.id, queued: upcomingEvents(world, webhook, 1_000).length }
    },
  },
]

const counted = <Row>(data: Row[]) => ({ count: data.length, data })

const census = <Row extends { id: string }>(table: Table<Row>) => ({
  count: table.size,
  ids: table.all().map(({ id }) => id),
})
