// Endorsements: which rails a customer may use, and which requirements of each are missing.

import type { World } from '../state/world.ts'
import { checksOf, missingOf, needsOf } from './requirements.ts'
import type { Customer, Endorsement, EndorsementName } from './rows.ts'

/** The endorsements of a request that names none. */
export const endorsementsByDefault: EndorsementName[] = ['base', 'sepa']

/** Adds the endorsements of a request. An endorsement that the customer has keeps its status. */
export const withEndorsements = (held: Endorsement[], asked: EndorsementName[]): Endorsement[] => [
  ...held,
  ...[...new Set(asked)]
    .filter((name) => !held.some((endorsement) => endorsement.name === name))
    .map((name): Endorsement => ({ name, status: 'incomplete' })),
]

export const setEndorsement = (
  held: Endorsement[],
  applies: (endorsement: Endorsement) => boolean,
  status: Endorsement['status'],
): Endorsement[] => held.map((endorsement) => (applies(endorsement) ? { ...endorsement, status } : endorsement))

/** Tells whether every requirement of an endorsement is supplied, so that only the provider's checks remain. */
export const isSupplied = (customer: Customer, name: EndorsementName): boolean =>
  missingOf(customer, name).length === 0 && missingOfPersons(customer).length === 0

export const isEndorsed = (customer: Customer, name: EndorsementName): boolean =>
  customer.endorsements.some((endorsement) => endorsement.name === name && endorsement.status === 'approved')

export const renderEndorsement = (world: World, customer: Customer, { name, status }: Endorsement) => {
  const isBare = world.behaviour.has('requirements_bare')
  const missing = missingOf(customer, name)
  const supplied = needsOf(customer, name).filter((need) => !missing.includes(need))
  const approved = status === 'approved'
  const checks = checksOf(customer.type)
  const persons = customer.persons.map(({ id, items }) => ({ associated_person: id, items }))
  const lacking = [...missing, ...missingOfPersons(customer)]
  return {
    name,
    status,
    additional_requirements: approved ? [] : additionalRequirements(missing),
    ...futureRequirements(customer),
    requirements: {
      complete: [...supplied, ...(approved ? checks : []), ...persons],
      pending: !approved && lacking.length === 0 && customer.status === 'under_review' ? checks : [],
      missing: lacking.length === 0 || approved ? null : isBare ? bareName(lacking[0]) : { all_of: lacking },
      issues: approved ? [] : customer.issues.map((issue) => (isBare ? [issue] : issue)),
    },
  }
}

type PersonsLack = { associated_person: string; items: string[] }

const missingOfPersons = ({ persons }: Customer): PersonsLack[] =>
  persons.filter(({ wanted }) => wanted.length > 0).map(({ id, wanted }) => ({ associated_person: id, items: wanted }))

const bareName = (lack: string | PersonsLack | undefined): string | undefined =>
  typeof lack === 'object' ? lack.items[0] : lack

/** Shows announced requirements, the same for every endorsement, until the customer has supplied them. */
const futureRequirements = ({ announced, facts }: Customer) => {
  const missing = announced?.needs.filter((need) => !facts.includes(need)) ?? []
  if (announced === null || missing.length === 0) return {}
  const { effectiveOn: effective_date } = announced
  const stage = { verification_stage: 'not_applicable', pending: [], missing: { all_of: missing }, issues: [] }
  return { future_requirements: [{ effective_date, ...stage }] }
}

const additionalRequirements = (missing: string[]): string[] => {
  const open: string[] = []
  if (missing.includes('terms_of_service_v1')) open.push('tos_acceptance')
  else if (missing.includes('terms_of_service_v2')) open.push('tos_v2_acceptance')
  return [...open, 'kyc_approval']
}
