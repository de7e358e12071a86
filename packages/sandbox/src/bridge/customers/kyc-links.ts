// KYC links: one per email, with a hosted page for the terms and one for the verification. The end of the verification creates
// the customer, and from then on the link shows the status of that customer.
import { invalidParameters, Refusal } from '../../platform/errors.ts'
import { boolean, httpUrl, list, matching, object, oneOf, parse, text } from '../../platform/fields.ts'
import { newId } from '../../platform/ids.ts'
import { unknownId } from '../forms/errors.ts'
import { timestamp, type World } from '../state/world.ts'
import { emitEvent } from '../webhooks/events.ts'
import type { Resource } from '../webhooks/rows.ts'
import { acceptsTerms, customerByEmail } from './record.ts'
import { type Customer, customerTypes, endorsementNames, type KycLink } from './rows.ts'
import { bareLinkTo, linkTo, openSession } from './sessions.ts'

const latinName = text(1, 256)

const newLink = object(
  {
    email: matching(/^[^\s@]+@[^\s@]+$/, 'must be an email address'),
    type: oneOf(customerTypes),
    full_name: text(1, 1024),
    endorsements: list(oneOf(endorsementNames)),
    redirect_uri: httpUrl,
    developer_accepted_tos: boolean,
    transliterated_first_name: latinName,
    transliterated_middle_name: latinName,
    transliterated_last_name: latinName,
    transliterated_business_legal_name: text(1, 1024),
  },
  ['email', 'type'],
)

/** @throws Refusal `invalid_parameters`, or `duplicate_record` with the link of the same email */
export const createKycLink = (world: World, body: unknown): KycLink => {
  const {
    email,
    type,
    full_name,
    endorsements = [],
    redirect_uri = null,
    developer_accepted_tos,
  } = parse(newLink, body)
  const existing = linkByEmail(world, email)
  if (existing) throw duplicate(world, existing)

  const id = newId()
  const customer = customerByEmail(world, email)
  const isStated = developer_accepted_tos === true && world.behaviour.has('terms_reliance')
  const tos = openSession(world, { page: 'tos', kycLinkId: id, email })
  const kyc = openSession(world, { page: 'kyc', kycLinkId: id, email, redirectUri: redirect_uri, tosNonce: tos.nonce })
  const link = world.state.kycLinks.put({
    id,
    type: customer?.type ?? type,
    email,
    fullName: full_name ?? null,
    endorsements,
    customerId: customer?.id ?? null,
    termsAccepted: isStated || (customer !== undefined && acceptsTerms(customer)),
    tosNonce: tos.nonce,
    kycNonce: kyc.nonce,
    createdAt: timestamp(world),
  })
  const object = renderKycLink(world, link)
  emitEvent(world, { category: 'kyc_link', mutation: 'created', object, status: kycStatusOf(customer) })
  return link
}

export const kycLinkById = (world: World, id: string): KycLink => {
  const link = world.state.kycLinks.get(id)
  if (!link) throw unknownId('kyc link')
  return link
}

/** Stores a changed link and emits the event. */
export const saveKycLink = (world: World, before: KycLink, after: KycLink): KycLink => {
  world.state.kycLinks.put(after)
  emitChange(world, renderKycLink(world, before), renderKycLink(world, after))
  return after
}

/** Emits the events of links that show a change of their customer. */
export const emitLinkChanges = (world: World, before: Customer, after: Customer): void => {
  for (const link of world.state.kycLinks.all()) {
    if (link.customerId !== after.id) continue
    emitChange(world, renderKycLink(world, link, before), renderKycLink(world, link, after))
  }
}

/** Removes a customer's links, so that the email can be used again. */
export const removeLinks = (world: World, customerId: string): void => {
  for (const link of world.state.kycLinks.all())
    if (link.customerId === customerId) world.state.kycLinks.remove(link.id)
}

export const renderKycLink = (world: World, link: KycLink, customer = customerOf(world, link)): Resource => {
  const addressOf = world.behaviour.has('link_scheme_absent') ? bareLinkTo : linkTo
  return {
    id: link.id,
    type: link.type,
    customer_id: link.customerId,
    full_name: link.fullName ?? '',
    email: link.email,
    kyc_link: addressOf({ nonce: link.kycNonce }),
    kyc_status: kycStatusOf(customer),
    rejection_reasons: customer?.rejectionReasons ?? [],
    tos_link: addressOf({ nonce: link.tosNonce }),
    tos_status: link.termsAccepted ? 'approved' : 'pending',
    persona_inquiry_type: link.type === 'individual' ? 'gov_id_db' : 'business',
    created_at: link.createdAt,
  }
}

/** Returns the customer's status in the terms of a KYC link. */
export const kycStatusOf = (customer: Customer | undefined): string => {
  if (!customer) return 'not_started'
  return customer.status === 'active' ? 'approved' : customer.status
}

const customerOf = (world: World, link: KycLink): Customer | undefined =>
  link.customerId === null ? undefined : world.state.customers.get(link.customerId)

const linkByEmail = (world: World, email: string): KycLink | undefined =>
  world.state.kycLinks.all().find((link) => link.email.toLowerCase() === email.toLowerCase())

const duplicate = (world: World, existing: KycLink): Refusal =>
  new Refusal(400, {
    code: 'duplicate_record',
    message: 'A KYC link for this email already exists',
    existing_kyc_link: renderKycLink(world, existing),
  })

const emitChange = (world: World, before: Resource, after: Resource): void => {
  const statusChanged = before['kyc_status'] !== after['kyc_status']
  if (!statusChanged && JSON.stringify(before) === JSON.stringify(after)) return
  emitEvent(world, {
    category: 'kyc_link',
    mutation: statusChanged ? 'updated.status_transitioned' : 'updated',
    object: after,
    status: String(after['kyc_status']),
    before,
  })
}

/** Checks a `redirect_uri` from a query. */
export const redirectIn = (value: string | undefined): string | null => {
  if (value === undefined) return null
  const complaints: Record<string, string> = {}
  httpUrl(value, 'redirect_uri', complaints)
  if (Object.keys(complaints).length > 0) throw invalidParameters('query', complaints)
  return value
}
