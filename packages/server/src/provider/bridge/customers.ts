// Customers at Bridge. A change has no key, and needs none: the same data twice leaves the same customer.

import type { RailTable } from '../../platform/values/rails.ts'
import { type Customers, ProviderError, type Submission } from '../port.ts'
import type { BridgeClient } from './client.ts'
import { bodyOf, companyChangeOf, creationOf, olderChangeOf } from './submission.ts'
import { standingOf } from './verdict.ts'
import type { ProviderCustomer } from './wire/types.ts'

export function customersOf(client: BridgeClient, table: RailTable): Customers {
  const standing = (customer: ProviderCustomer) => standingOf(customer, table)
  return {
    create: async (submission, write) => standing(await client.createCustomer(creationOf(submission), write)),
    async change(id, submission, { type, agreement }) {
      const { customer, isAgreed } =
        type === 'business'
          ? await changeCompany(client, id, submission, agreement)
          : { customer: await client.updateCustomer(id, bodyOf(submission)), isAgreed: true }
      return { standing: standing(customer), isAgreed }
    },
    read: async (id) => standing(await client.getCustomer(id)),
    findByEmail: async (email) => (await client.findCustomersByEmail(email)).map(standing),
    people: {
      list: (customerId) => client.listAssociatedPersons(customerId),
      add: (customerId, person, write) => client.createAssociatedPerson(customerId, person, write),
      change: (customerId, id, person) => client.updateAssociatedPerson(customerId, id, person),
    },
  }
}

/** @param agreed the agreement that Bridge has taken before */
async function changeCompany(client: BridgeClient, id: string, submission: Submission, agreed: string | null) {
  const isNewAgreement = submission.agreement !== null && submission.agreement !== agreed
  const change = companyChangeOf(bodyOf(submission), isNewAgreement)
  const unchanged = async () => ({ customer: await client.getCustomer(id), isAgreed: false })
  if (change === null) return await unchanged()
  try {
    const isAgreed = Object.hasOwn(change, 'signed_agreement_id')
    return { customer: await client.updateCustomer(id, change), isAgreed }
  } catch (error) {
    if (!(error instanceof ProviderError) || error.kind !== 'rejected') throw error
    const older = olderChangeOf(change, Object.keys(error.fields))
    if (older === null) throw error
    if (Object.keys(older).length === 0) return await unchanged()
    return { customer: await client.updateCustomer(id, older), isAgreed: false }
  }
}
