// The terms of service: links to their page, and what accepting them there changes.

import type { World } from '../state/world.ts'
import { agreementOf } from './agreements.ts'
import { addFacts } from './customers.ts'
import { saveKycLink } from './kyc-links.ts'
import { customerById } from './record.ts'
import { termsFacts } from './requirements.ts'
import type { Session } from './rows.ts'
import { findSession, linkTo, openSession } from './sessions.ts'

/** A link for somebody who is not a customer yet: acceptance yields an id to create the customer with. */
export const createTosLink = (world: World): { url: string } => ({ url: linkTo(openSession(world, { page: 'tos' })) })

export const tosLinkFor = (world: World, customerId: string): { url: string } => {
  const { id, email } = customerById(world, customerId)
  return { url: linkTo(openSession(world, { page: 'tos', customerId: id, email })) }
}

/** Accepting twice yields the same id and changes nothing more. `undefined` for an unknown token. */
export const acceptTos = (world: World, token: string): { signedAgreementId: string } | undefined => {
  const session = findSession(world, 'tos', token)
  if (!session) return undefined
  const { id, isNew } = agreementOf(world, session)
  if (isNew) applyAcceptance(world, session)
  return { signedAgreementId: id }
}

const applyAcceptance = (world: World, session: Session): void => {
  const link = session.kycLinkId === null ? undefined : world.state.kycLinks.get(session.kycLinkId)
  if (link) saveKycLink(world, link, { ...link, termsAccepted: true })
  const customerId = session.customerId ?? link?.customerId ?? null
  const customer = customerId === null ? undefined : world.state.customers.get(customerId)
  if (customer) addFacts(world, customer, termsFacts)
}
