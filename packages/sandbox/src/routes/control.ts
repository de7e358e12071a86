// The control under /_sandbox: what a bank, a compliance officer or a bad network would do, by command. It needs no
// key, so a browser may only reach it from the sandbox's own pages.
import type { FastifyInstance } from 'fastify'
import { fiatTerms, rails } from '../currencies.ts'
import { customerById, renderCustomer } from '../customer-record.ts'
import { advanceDeposit, advances, depositOutcomes, makeDeposit } from '../deposits.ts'
import { refuse } from '../errors.ts'
import type { Faults } from '../faults.ts'
import { integer, object, oneOf, parse, text, textOf } from '../fields.ts'
import { approveOnRequest, decide, decisions, endorsementIn } from '../kyc.ts'
import { installOperations, type Operation, runOperation } from '../operations.ts'
import { revealLinks } from '../sessions.ts'
import type { Table } from '../state.ts'
import { acceptTos } from '../tos.ts'
import type { Delivery } from '../webhook-delivery.ts'
import { upcomingEvents, webhookById } from '../webhooks.ts'
import type { World } from '../world.ts'

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
    ...customerCommands(parts),
    ...depositCommands(parts),
    ...stateCommands(parts),
    ...faultCommands(parts),
    ...webhookCommands(parts),
  ]
  installOperations(app, operations, runOperation)
}

const ruling = object({ decision: oneOf(decisions), endorsement: text(1, 64), reason: text(1, 1024) }, ['decision'])

const customerCommands = ({ world }: Parts): Operation[] => [
  {
    method: 'POST',
    path: '/customers/:id/kyc',
    run: ({ param, body }) => {
      const customer = customerById(world, param('id'))
      const given = parse(ruling, body)
      const decision = decisions.find((known) => known === given['decision']) ?? 'approve'
      const endorsement = endorsementIn(customer, given['endorsement'] ?? undefined)
      const reason = textOf(given, 'reason')
      if (decision === 'approve') {
        return renderCustomer(approveOnRequest(world, customer, ({ name }) => name === (endorsement ?? name)))
      }
      return renderCustomer(
        decide(world, customer, decision, {
          ...(endorsement === undefined ? {} : { endorsement }),
          ...(reason === undefined ? {} : { reason }),
        }),
      )
    },
  },
  {
    method: 'POST',
    path: '/tos/:sessionToken/accept',
    run: ({ param }) => {
      const accepted = acceptTos(world, param('sessionToken'))
      if (!accepted) throw refuse(404, 'unknown_session', 'There is no terms page with this token')
      return { signed_agreement_id: accepted.signedAgreementId }
    },
  },
]

const stepMsMax = 60 * 60 * 1000

const deposit = object(
  {
    amount: text(1, 32),
    payment_rail: oneOf(rails),
    outcome: oneOf(depositOutcomes),
    sender_name: text(1, 256),
    reference: text(1, 140),
    step_ms: integer(0, stepMsMax),
  },
  ['amount'],
)

const depositCommands = ({ world }: Parts): Operation[] => [
  {
    method: 'POST',
    path: '/virtual_accounts/:id/deposits',
    run: ({ param, body }) => {
      const account = world.state.virtualAccounts.get(param('id'))
      if (!account) throw refuse(404, 'unknown_virtual_account', 'There is no virtual account with this id')
      const given = parse(deposit, body)
      const { rails: known } = fiatTerms[account.currency]
      const rail = rails.find((name) => name === (given['payment_rail'] ?? known[0])) ?? known[0]
      const [senderName, reference] = [textOf(given, 'sender_name'), textOf(given, 'reference')]
      const made = makeDeposit(world, account, {
        amount: textOf(given, 'amount') ?? '',
        rail,
        outcome: depositOutcomes.find((outcome) => outcome === given['outcome']) ?? 'completed',
        ...(senderName === undefined ? {} : { senderName }),
        ...(reference === undefined ? {} : { reference }),
        ...(given['step_ms'] === undefined ? {} : { stepMs: Number(given['step_ms']) }),
      })
      return { deposit_id: made.id }
    },
  },
  {
    method: 'POST',
    path: '/deposits/:id/advance',
    run: ({ param, body }) => {
      const targets = Object.keys(advances) as (keyof typeof advances)[]
      const given = parse(object({ to: oneOf(targets) }, ['to']), body)
      const to = targets.find((target) => target === given['to']) ?? 'completed'
      return { deposit_id: advanceDeposit(world, param('id'), to).id }
    },
  },
]

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
  {
    method: 'POST',
    path: '/reset',
    run: () => {
      world.state.reset()
      faults.clear()
      delivery.wake()
      return { reset: true }
    },
  },
]

const faultCommands = ({ faults }: Parts): Operation[] => [
  { method: 'POST', path: '/faults', run: ({ body }) => faults.add(body) },
  { method: 'GET', path: '/faults', run: () => ({ count: faults.list().length, data: faults.list() }) },
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

const webhookCommands = ({ world, delivery }: Parts): Operation[] => [
  {
    method: 'GET',
    path: '/webhooks/deliveries',
    run: () => {
      const data = world.state.attempts.all().reverse()
      return { count: data.length, data }
    },
  },
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

const census = <Row extends { id: string }>(table: Table<Row>) => ({
  count: table.size,
  ids: table.all().map(({ id }) => id),
})
