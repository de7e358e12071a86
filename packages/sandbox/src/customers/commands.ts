// Commands in the place of a compliance officer or a customer: decide a check, accept the terms.
import { refuse } from '../platform/errors.ts'
import { object, oneOf, parse, text } from '../platform/fields.ts'
import type { Operation } from '../platform/operations.ts'
import type { World } from '../state/world.ts'
import { acceptTos } from './hosted-pages.ts'
import { approveOnRequest, decide, endorsementIn } from './kyc.ts'
import { customerById, renderCustomer } from './record.ts'
import { decisions } from './rows.ts'

const decisionForm = object({ decision: oneOf(decisions), endorsement: text(1, 64), reason: text(1, 1024) }, [
  'decision',
])

export const customerCommands = (world: World): Operation[] => [
  {
    method: 'POST',
    path: '/customers/:id/kyc',
    run: ({ param, body }) => {
      const customer = customerById(world, param('id'))
      const { decision, reason, ...named } = parse(decisionForm, body)
      const endorsement = endorsementIn(customer, named.endorsement)
      const decided =
        decision === 'approve'
          ? approveOnRequest(world, customer, ({ name }) => name === (endorsement ?? name))
          : decide(world, customer, decision, { endorsement, reason })
      return renderCustomer(world, decided)
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
