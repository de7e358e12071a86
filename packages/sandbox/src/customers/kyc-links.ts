// KYC links: one per e-mail, with a hosted page for the terms and one for the verification. The customer comes into
// being when the verification is done; from then on the link shows that customer's status.

import { invalidParameters, Refusal, unknownId } from '../platform/errors.ts'
import { httpUrl, list, listOf, matching, object, oneOf, parse, text, textOf } from '../platform/fields.ts'
import { newId } from '../platform/ids.ts'
import { timestamp, type World } from '../state/world.ts'
import { recordEvent } from '../webhooks/events.ts'
import type { Resource } from '../webhooks/rows.ts'
import { isEndorsement } from './endorsements.ts'
import { customerByEmail } from './record.ts'
import { type Customer, customerTypes, endorsementNames, type KycLink } from './rows.ts'
import { bareLinkTo, linkTo, openSession } from './sessions.ts'

const latinName = text(1, 256)

const newLink = object(
  {
    email: matching(/^[^\s@]+@[^\s@]+$/, 'must be an e-mail address'),
    type: oneOf(customerTypes),
    full_name: text(1, 1024),
    endorsements: list(oneOf(endorsementNames)),
    redirect_uri: httpUrl,
    transliterated_first_name: latinName,
    transliterated_middle_name: latinName,
    transliterated_last_name: latinName,
    transliterated_business_legal_name: text(1, 1024),
  },
  ['email', 'type'],
)

export const createKycLink = (world: World, body: unknown): KycLink => {
  const given = parse(newLink, body)
  const email = textOf(given, 'email') ?? ''
  const existing = linkByEmail(world, email)
  if (existing) throw duplicate(world, existing)

  const id = newId()
  const customer = customerByEmail(world, email)
  const tos = openSession(world, { page: 'tos', kycLinkId: id, email })
  const redirectUri = textOf(given, 'redirect_uri') ?? null
  const kyc = openSession(world, { page: 'kyc', kycLinkId: id, email, redirectUri, tosNonce: tos.nonce })
  const link = world.state.kycLinks.put({
    id,
    type: customer?.type ?? (textOf(given, 'type') === 'business' ? 'business' : 'individual'),
    email,
    fullName: textOf(given, 'full_name') ?? null,
    endorsements: listOf(given, 'endorsements').filter(isEndorsement),
    customerId: customer?.id ?? null,
    termsAccepted: customer?.facts.includes('terms_of_service_v1') ?? false,
    tosNonce: tos.nonce,
    kycNonce: kyc.nonce,
    createdAt: timestamp(world),
  })
  const object = renderKycLink(world, link)
  recordEvent(world, { category: 'kyc_link', mutation: 'created', object, status: kycStatusOf(customer) })
  return link
}

export const kycLinkById = (world: World, id: string): KycLink => {
  const link = world.state.kycLinks.get(id)
  if (!link) throw unknownId('kyc link')
  return link
}

/** Stores a changed link and announces it. */
export const saveKycLink = (world: World, before: KycLink, after: KycLink): KycLink => {
  world.state.kycLinks.put(after)
  announce(world, renderKycLink(world, before), renderKycLink(world, after))
  return after
}

/** Announces the links of a customer whose change shows in them. */
export const announceLinks = (world: World, before: Customer, after: Customer): void => {
  for (const link of world.state.kycLinks.all()) {
    if (link.customerId === after.id)
      announce(world, renderKycLink(world, link, before), renderKycLink(world, link, after))
  }
}

/** A removed customer's e-mail may be used again. */
export const forgetLinks = (world: World, customerId: string): void => {
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

/** The customer's status in the words of a KYC link. */
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

const announce = (world: World, before: Resource, after: Resource): void => {
  const statusChanged = before['kyc_status'] !== after['kyc_status']
  if (!statusChanged && JSON.stringify(before) === JSON.stringify(after)) return
  recordEvent(world, {
    category: 'kyc_link',
    mutation: statusChanged ? 'updated.status_transitioned' : 'updated',
    object: after,
    status: String(after['kyc_status']),
    before,
  })
}

/** Checks a redirect_uri that came in a query. */
export const redirectIn = (value: string | undefined): string | null => {
  if (value === undefined) return null
  const complaints: Record<string, string> = {}
  httpUrl(value, 'redirect_uri', complaints)
  if (Object.keys(complaints).length > 0) throw invalidParameters('query', complaints)
  return value
}
