// The hosted pages' view of the state: who stands behind a session token, and what finishing a page brings about.

import { saveCustomer } from '../customers/customers.ts'
import { isEndorsed, withEndorsements } from '../customers/endorsements.ts'
import { submitHosted } from '../customers/kyc.ts'
import { customerOfFinished } from '../customers/kyc-link-customers.ts'
import { kycStatusOf } from '../customers/kyc-links.ts'
import { acceptsTerms, customerById } from '../customers/record.ts'
import type { Customer, EndorsementName, KycLink, Session } from '../customers/rows.ts'
import { findSession, linkTo, openSession, revealLinks } from '../customers/sessions.ts'
import { acceptTos } from '../customers/tos.ts'
import { advanceIn } from '../state/clock.ts'
import type { World } from '../state/world.ts'
import type { KycSession, PageFlows } from './page-flows.ts'

/** A link to the verification page of a customer who exists, in general or for one endorsement. */
export const kycLinkFor = (
  world: World,
  customerId: string,
  wish: { endorsement: EndorsementName | null; redirectUri: string | null },
): { url: string } => {
  const { id, email } = customerById(world, customerId)
  const tos = openSession(world, { page: 'tos', customerId: id, email })
  return { url: linkTo(openSession(world, { page: 'kyc', customerId: id, email, tosNonce: tos.nonce, ...wish })) }
}

export const createPageFlows = (world: World): PageFlows => ({
  clock: () => ({ now: new Date(world.now()).toISOString(), offsetMs: world.clock.offsetMs() }),
  advanceClock: (byMs) => world.advance(advanceIn(world.clock, { advance_ms: byMs })),
  tosSession: (token) => {
    const session = findSession(world, 'tos', token)
    return session && { email: session.email, accepted: session.agreementId !== null }
  },
  acceptTos: (token) => acceptTos(world, token),
  kycSession: (token) => {
    const session = findSession(world, 'kyc', token)
    return session && describe(world, session)
  },
  submitKyc: (token, outcome) => {
    const session = findSession(world, 'kyc', token)
    if (!session) return false
    const { customer, link } = subjectOf(world, session)
    if (!(customer ? acceptsTerms(customer) : link?.termsAccepted)) return false
    const known = customer ?? (link && customerOfFinished(world, link))
    if (!known) return false
    submitHosted(world, withWish(world, known, session), outcome)
    return true
  },
})

const describe = (world: World, session: Session): KycSession | undefined => {
  const { customer, link } = subjectOf(world, session)
  const type = customer?.type ?? link?.type
  if (!type) return undefined
  const tosAccepted = customer ? acceptsTerms(customer) : (link?.termsAccepted ?? false)
  const name = [customer?.firstName, customer?.lastName].filter(Boolean).join(' ')
  return {
    fullName: name || link?.fullName || null,
    email: session.email,
    type,
    tosAccepted,
    tosUrl: tosAccepted || !session.tosNonce ? null : revealLinks(world, linkTo({ nonce: session.tosNonce })),
    status: statusFor(session, customer),
    redirectUri: session.redirectUri,
  }
}

/** A page opened for one endorsement is open until the customer has that one, whatever else is approved. */
const statusFor = ({ endorsement }: Session, customer: Customer | undefined): string => {
  const status = kycStatusOf(customer)
  const lacksWish = customer !== undefined && endorsement !== null && !isEndorsed(customer, endorsement)
  return status === 'approved' && lacksWish ? 'incomplete' : status
}

const subjectOf = (world: World, session: Session): { customer: Customer | undefined; link: KycLink | undefined } => {
  const link = session.kycLinkId === null ? undefined : world.state.kycLinks.get(session.kycLinkId)
  const customerId = session.customerId ?? link?.customerId ?? null
  return { customer: customerId === null ? undefined : world.state.customers.get(customerId), link }
}

/** A page opened for one endorsement asks for it. */
const withWish = (world: World, customer: Customer, session: Session): Customer => {
  const wish = session.endorsement
  if (wish === null) return customer
  return saveCustomer(world, customer, { ...customer, endorsements: withEndorsements(customer.endorsements, [wish]) })
}
