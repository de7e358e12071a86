// The sessions of the hosted pages: links to the terms and the KYC page, who is behind a token, and the effects of
// finishing a page.
import type { World } from '../state/world.ts'
import { addFacts, saveCustomer } from './customers.ts'
import { isEndorsed, withEndorsements } from './endorsements.ts'
import { submitHosted } from './kyc.ts'
import { customerOfFinished } from './kyc-link-customers.ts'
import { kycStatusOf, saveKycLink } from './kyc-links.ts'
import { acceptsTerms, customerById } from './record.ts'
import { termsFacts } from './requirements.ts'
import type { Customer, CustomerType, Decision, EndorsementName, KycLink, Session } from './rows.ts'
import { agreementOf, findSession, linkTo, openSession, revealLinks } from './sessions.ts'

/** Makes a link to the terms for a future customer, who is created with the id of the agreement. */
export const createTosLink = (world: World): { url: string } => ({ url: linkTo(openSession(world, { page: 'tos' })) })

export const tosLinkFor = (world: World, customerId: string): { url: string } => {
  const { id, email } = customerById(world, customerId)
  return { url: linkTo(openSession(world, { page: 'tos', customerId: id, email })) }
}

/** Makes a link to the KYC page of an existing customer, in general or for one endorsement. */
export const kycLinkFor = (
  world: World,
  customerId: string,
  asked: { endorsement: EndorsementName | null; redirectUri: string | null },
): { url: string } => {
  const { id, email } = customerById(world, customerId)
  const tos = openSession(world, { page: 'tos', customerId: id, email })
  return { url: linkTo(openSession(world, { page: 'kyc', customerId: id, email, tosNonce: tos.nonce, ...asked })) }
}

export type TosSession = {
  /** The customer's email, if the link was created for a known customer. */
  email: string | null
  accepted: boolean
}

/** Returns the session of a terms page, or undefined for an unknown token. */
export const tosSession = (world: World, token: string): TosSession | undefined => {
  const session = findSession(world, 'tos', token)
  return session && { email: session.email, accepted: session.agreementId !== null }
}

/** Accepts the terms. A repeat returns the same id and changes nothing, an unknown token returns undefined. */
export const acceptTos = (world: World, token: string): { signedAgreementId: string } | undefined => {
  const session = findSession(world, 'tos', token)
  if (!session) return undefined
  const { id, isNew } = agreementOf(world, session)
  const { customer, link } = subjectOf(world, session)
  if (isNew && link) saveKycLink(world, link, { ...link, termsAccepted: true })
  if (isNew && customer) addFacts(world, customer, termsFacts)
  return { signedAgreementId: id }
}

/** The outcomes that a person may choose on the KYC page. */
export type KycOutcome = Exclude<Decision, 'request_owner_document' | 'announce_requirements'>

export type KycSession = {
  fullName: string | null
  email: string | null
  type: CustomerType
  tosAccepted: boolean
  /** The terms page that comes first, while the terms are not accepted. */
  tosUrl: string | null
  /** The provider's KYC status, such as `not_started`, `under_review` or `approved`. */
  status: string
  redirectUri: string | null
}

/** Returns the session of a KYC page, or undefined for an unknown token. */
export const kycSession = (world: World, token: string): KycSession | undefined => {
  const session = findSession(world, 'kyc', token)
  if (!session) return undefined
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

/** Submits a finished KYC page. Returns false for an unknown token, or while the terms are not accepted. */
export const submitKyc = (world: World, token: string, outcome: KycOutcome): boolean => {
  const session = findSession(world, 'kyc', token)
  if (!session) return false
  const { customer, link } = subjectOf(world, session)
  if (!(customer ? acceptsTerms(customer) : link?.termsAccepted)) return false
  const known = customer ?? (link && customerOfFinished(world, link))
  if (!known) return false
  submitHosted(world, withAskedEndorsement(world, known, session), outcome)
  return true
}

/** Returns the status for the page. A page for one endorsement stays open until the customer has that endorsement. */
const statusFor = ({ endorsement }: Session, customer: Customer | undefined): string => {
  const status = kycStatusOf(customer)
  const lacksAsked = customer !== undefined && endorsement !== null && !isEndorsed(customer, endorsement)
  return status === 'approved' && lacksAsked ? 'incomplete' : status
}

const subjectOf = (world: World, session: Session): { customer: Customer | undefined; link: KycLink | undefined } => {
  const link = session.kycLinkId === null ? undefined : world.state.kycLinks.get(session.kycLinkId)
  const customerId = session.customerId ?? link?.customerId ?? null
  return { customer: customerId === null ? undefined : world.state.customers.get(customerId), link }
}

const withAskedEndorsement = (world: World, customer: Customer, { endorsement }: Session): Customer => {
  if (endorsement === null) return customer
  const endorsements = withEndorsements(customer.endorsements, [endorsement])
  return saveCustomer(world, customer, { ...customer, endorsements })
}
