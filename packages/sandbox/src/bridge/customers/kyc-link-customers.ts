// The customer of a KYC link: created when the verification is finished, or with the link when that switch is on.

import type { World } from '../state/world.ts'
import { addFacts, introduceCustomer, storeNew } from './customers.ts'
import { endorsementsByDefault, withEndorsements } from './endorsements.ts'
import { saveKycLink } from './kyc-links.ts'
import { customerByEmail, draftCustomer } from './record.ts'
import { allFacts, termsFacts } from './requirements.ts'
import type { Customer, KycLink } from './rows.ts'

/** Returns the customer of a finished link: a new one, or the one that the API created with the same email. */
export const customerOfFinished = (world: World, link: KycLink): Customer => {
  const existing = customerByEmail(world, link.email)
  const facts = [...allFacts(link.type), ...termsFacts]
  const customer = existing
    ? addFacts(world, existing, termsFacts)
    : introduceCustomer(world, { ...draftOf(world, link), facts })
  saveKycLink(world, link, { ...link, customerId: customer.id })
  return customer
}

/** Creates the customer of a new link when the switch `link_customer_early` is on. */
export const withEarlyCustomer = (world: World, link: KycLink): KycLink => {
  if (!world.behaviour.has('link_customer_early') || link.customerId !== null) return link
  const customer = storeNew(world, {
    ...draftOf(world, link),
    facts: link.termsAccepted ? termsFacts : [],
    status: 'not_started',
  })
  return saveKycLink(world, link, { ...link, customerId: customer.id })
}

const draftOf = (world: World, link: KycLink): Customer => {
  const [firstName = 'Sandbox', ...rest] = (link.fullName ?? '').split(/\s+/).filter(Boolean)
  const isBusiness = link.type === 'business'
  const asked = link.endorsements.length === 0 ? endorsementsByDefault : link.endorsements
  return draftCustomer(world, link.type, {
    firstName: isBusiness ? (link.fullName ?? 'Sandbox Business') : firstName,
    lastName: isBusiness ? null : rest.join(' ') || 'Customer',
    email: link.email,
    endorsements: withEndorsements([], asked),
  })
}
