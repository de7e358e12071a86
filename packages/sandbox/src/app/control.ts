// The control under /_sandbox: what a bank, a compliance officer or a bad network would do, by command. It needs no
// key, so a browser may only reach it from the sandbox's own pages.
import type { FastifyInstance } from 'fastify'
import { approveOnRequest, decide, endorsementIn } from '../customers/kyc.ts'
import { customerById, renderCustomer } from '../customers/record.ts'
import { decisions } from '../customers/rows.ts'
import { revealLinks } from '../customers/sessions.ts'
import { acceptTos } from '../customers/tos.ts'
import { depositCommands } from '../deposits/commands.ts'
import { refuse } from '../platform/errors.ts'
import { object, oneOf, parse, text, textOf } from '../platform/fields.ts'
import { installOperations, type Operation, runOperation } from '../platform/operations.ts'
import type { World } from '../state/world.ts'
import type { Delivery } from '../webhooks/delivery.ts'
import { upcomingEvents, webhookById } from '../webhooks/endpoints.ts'
import { stateCommands } from './control-state.ts'
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
    ...customerCommands(parts),
    ...depositCommands(world),
    ...stateCommands(world, parts),
    ...faultCommands(parts),
    ...behaviourCommands(parts),
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
        return renderCustomer(
          world,
          approveOnRequest(world, customer, ({ name }) => name === (endorsement ?? name)),
        )
      }
      return renderCustomer(
        world,
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

const behaviourCommands = ({ world: { behaviour } }: Parts): Operation[] => [
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
