// The calls of the provider's port that are about customers, and about the people of a company.

import { type Caller, path } from './caller.ts'
import type { Provider } from './port.ts'
import { associatedPersonBody, customerBody, readAssociatedPerson } from './wire/associated-person.ts'
import { readCustomer, readCustomersOfEmail } from './wire/customer.ts'
import { readList } from './wire/fields.ts'

/** The provider's largest page. */
const PAGE_ITEMS_MAX = 100

type CustomerOperation =
  | 'simulateKycApproval'
  | 'createCustomer'
  | 'updateCustomer'
  | 'getCustomer'
  | 'findCustomersByEmail'
  | 'deleteCustomer'

export function customerOperations(call: Caller): Pick<Provider, CustomerOperation> {
  return {
    createCustomer: async (customer, write) => {
      const body = customerBody(customer)
      return call({
        operation: 'createCustomer',
        method: 'POST',
        path: path`/customers`,
        body,
        write,
        // The papers in it are not stored, so nobody but this call could repeat it.
        isRepeatedWhenCut: true,
        read: readCustomer,
      })
    },
    updateCustomer: async (id, change) => {
      const body = customerBody(change)
      return call({
        operation: 'updateCustomer',
        method: 'PUT',
        path: path`/customers/${id}`,
        body,
        read: readCustomer,
      })
    },
    getCustomer: async (id) =>
      call({ operation: 'getCustomer', method: 'GET', path: path`/customers/${id}`, read: readCustomer }),
    findCustomersByEmail: async (email) =>
      call({
        operation: 'findCustomersByEmail',
        method: 'GET',
        path: path`/customers`,
        query: { email, limit: PAGE_ITEMS_MAX },
        read: (body) => readCustomersOfEmail(body, email),
      }),
    simulateKycApproval: async (id, write) =>
      call({
        operation: 'simulateKycApproval',
        method: 'POST',
        path: path`/customers/${id}/simulate_kyc_approval`,
        write,
        read: () => undefined,
      }),
    deleteCustomer: async (id) =>
      call({ operation: 'deleteCustomer', method: 'DELETE', path: path`/customers/${id}`, read: () => undefined }),
  }
}

type PersonOperation = 'listAssociatedPersons' | 'createAssociatedPerson' | 'updateAssociatedPerson'

export function personOperations(call: Caller): Pick<Provider, PersonOperation> {
  return {
    listAssociatedPersons: async (customerId) =>
      call({
        operation: 'listAssociatedPersons',
        method: 'GET',
        path: path`/customers/${customerId}/associated_persons`,
        read: (body) => readList(body).map(readAssociatedPerson),
      }),
    createAssociatedPerson: async (customerId, person, write) =>
      call({
        operation: 'createAssociatedPerson',
        method: 'POST',
        path: path`/customers/${customerId}/associated_persons`,
        body: associatedPersonBody(person),
        write,
        read: readAssociatedPerson,
      }),
    updateAssociatedPerson: async (customerId, id, person) =>
      call({
        operation: 'updateAssociatedPerson',
        method: 'PUT',
        path: path`/customers/${customerId}/associated_persons/${id}`,
        body: associatedPersonBody(person),
        read: readAssociatedPerson,
      }),
  }
}
