// The control commands under /_sandbox: they do what a bank, a compliance officer or a bad network would do. They need no
// key, so in a browser only the sandbox's own pages may call them.
import type { FastifyInstance } from 'fastify'
import { customerCommands } from '../customers/commands.ts'
import { revealLinks } from '../customers/sessions.ts'
import { depositCommands } from '../deposits/commands.ts'
import { refuse } from '../platform/errors.ts'
import { installOperations, type Operation, runOperation } from '../platform/operations.ts'
import { rfiCommands } from '../rfis/routes.ts'
import { advanceIn, renderClock } from '../state/clock.ts'
import type { Table } from '../state/state.ts'
import type { World } from '../state/world.ts'
import { virtualAccountCommands } from '../virtual-accounts/commands.ts'
import type { Delivery } from '../webhooks/delivery.ts'
import { upcomingEvents, webhookById } from '../webhooks/endpoints.ts'
import type { Faults } from './faults.ts'

type Parts = { world: World; delivery: Delivery; faults: Faults }

export const control = async (app: FastifyInstance, parts: Parts): Promise<void> => {
  const { world } = parts
  app.addHook('onRequest', async (request) => {
    const { origin, 'sec-fetch-site': site } = request.headers
    const isForeign = (origin !== undefined && origin !== world.origin()) || site === 'cross-site'
    if (isForeign) throw refuse(403, 'foreign_origin', 'The control is not open to other sites')
  })
  app.addHook('onSend', async (_request, _reply, payload) =>
    typeof payload === 'string' ? revealLinks(world, payload) : payload,
  )
  const operations = [
    ...customerCommands(world),
    ...virtualAccountCommands(world),
    ...depositCommands(world),
    ...rfiCommands(world),
    ...stateCommands(parts),
    ...clockCommands(world),
    ...faultCommands(parts.faults),
    ...behaviourCommands(world),
    ...webhookCommands(parts),
  ]
  installOperations(app, operations, runOperation)
}

const stateCommands = ({ world, faults, delivery }: Parts): Operation[] => [
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
  {
    method: 'POST',
    path: '/reset',
    run: () => {
      world.state.reset()
      faults.clear()
      world.behaviour.reset()
      delivery.wake()
      return { reset: true }
    },
  },
]

const clockCommands = (world: World): Operation[] => [
  { method: 'GET', path: '/clock', run: () => renderClock(world.clock) },
  {
    method: 'POST',
    path: '/clock',
    run: ({ body }) => {
      world.advance(advanceIn(world.clock, body))
      return renderClock(world.clock)
    },
  },
]

const faultCommands = (faults: Faults): Operation[] => [
  { method: 'POST', path: '/faults', run: ({ body }) => faults.add(body) },
  { method: 'GET', path: '/faults', run: () => counted(faults.list()) },
  {
    method: 'DELETE',
    path: '/faults',
    run: () => {
      const cleared = faults.list().length
      faults.clear()
      return { cleared }
    },
  },
]

const behaviourCommands = ({ behaviour }: World): Operation[] => [
  { method: 'GET', path: '/behaviour', run: () => behaviour.all() },
  {
    method: 'POST',
    path: '/behaviour',
    run: ({ body }) => {
      behaviour.change(body)
      return behaviour.all()
    },
  },
]

const webhookCommands = ({ world, delivery }: Parts): Operation[] => [
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
