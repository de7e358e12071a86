// Commands in the place of a compliance officer or a customer: decide a check, accept the terms.
import { invalidParameters, refuse } from '../../platform/errors.ts'
import { fullObject, object, oneOf, parse, text } from '../../platform/fields.ts'
import type { Operation } from '../../platform/operations.ts'
import type { World } from '../state/world.ts'
import { acceptTos } from './hosted-pages.ts'
import { approveOnRequest, decide, endorsementIn } from './kyc.ts'
import { customerById, renderCustomer } from './record.ts'
import { decisions } from './rows.ts'
import { termsTokenIn } from './sessions.ts'

const decisionForm = object({ decision: oneOf(decisions), endorsement: text(1, 64), reason: text(1, 1024) }, [
  'decision',
])

const termsForm = fullObject({ link: text(1, 8_192) })

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
    path: '/terms/accept',
    run: ({ body }) => {
      const link = URL.parse(parse(termsForm, body).link)
      if (!link) throw invalidParameters('body', { link: 'must be a URL' })
      const accepted = acceptTos(world, termsTokenIn(link))
      if (!accepted) throw refuse(404, 'unknown_link', 'No terms page has this link')
      return { signed_agreement_id: accepted.signedAgreementId }
    },
  },
]
