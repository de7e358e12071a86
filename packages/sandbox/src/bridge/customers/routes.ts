// The provider's operations on customers, the persons behind a business, and KYC links.
import type { Call, Operation } from '../../platform/operations.ts'
import { choice, mapPage, paginate, single } from '../forms/pagination.ts'
import type { World } from '../state/world.ts'
import { createCustomer, removeCustomer, updateCustomer } from './customers.ts'
import { createTosLink, kycLinkFor, tosLinkFor } from './hosted-pages.ts'
import { approveOnRequest } from './kyc.ts'
import { withEarlyCustomer } from './kyc-link-customers.ts'
import { createKycLink, kycLinkById, redirectIn, renderKycLink } from './kyc-links.ts'
import { addPerson, businessOf, personOf, removePerson, updatePerson } from './persons.ts'
import { customerById, renderCustomer, renderPerson } from './record.ts'
import { endorsementNames } from './rows.ts'

/** The provider's operations on customers, their persons and their KYC links. */
export const customerOperations = (world: World): Operation[] => [
  ...recordOperations(world),
  ...personOperations(world),
  ...kycLinkOperations(world),
]

const recordOperations = (world: World): Operation[] => [
  {
    method: 'POST',
    path: '/customers',
    status: 201,
    run: ({ body }) => renderCustomer(world, createCustomer(world, body)),
  },
  {
    method: 'GET',
    path: '/customers',
    run: ({ query }) => {
      const email = single(query, 'email')?.toLowerCase()
      const matching = world.state.customers
        .all()
        .filter((customer) => email === undefined || customer.email?.toLowerCase() === email)
      return mapPage(paginate(matching.reverse(), query), (customer) => renderCustomer(world, customer))
    },
  },
  { method: 'POST', path: '/customers/tos_links', status: 201, run: () => createTosLink(world) },
  {
    method: 'GET',
    path: '/customers/:customerID',
    run: ({ param }) => renderCustomer(world, customerById(world, param('customerID'))),
  },
  {
    method: 'PUT',
    path: '/customers/:customerID',
    run: ({ param, body }) => renderCustomer(world, updateCustomer(world, param('customerID'), body)),
  },
  {
    method: 'DELETE',
    path: '/customers/:customerID',
    run: ({ param }) => renderCustomer(world, removeCustomer(world, param('customerID'))),
  },
  {
    method: 'GET',
    path: '/customers/:customerID/tos_acceptance_link',
    run: ({ param }) => tosLinkFor(world, param('customerID')),
  },
  {
    method: 'GET',
    path: '/customers/:customerID/kyc_link',
    run: ({ param, query }) => {
      const endorsement = choice(query, 'endorsement', endorsementNames)
      return kycLinkFor(world, param('customerID'), {
        endorsement: endorsement ?? null,
        redirectUri: redirectIn(single(query, 'redirect_uri')),
      })
    },
  },
  {
    method: 'POST',
    path: '/customers/:customerID/simulate_kyc_approval',
    run: ({ param }) => {
      const customer = customerById(world, param('customerID'))
      const { id } = approveOnRequest(world, customer, ({ status }) => status === 'incomplete')
      return { success: true, customer_id: id, kyc_status: 'approved', message: 'KYC approval simulated' }
    },
  },
]

const personsPath = '/customers/:customerID/associated_persons'

/** A person has one path below the business and one without it. */
const personPaths = [`${personsPath}/:associatedPersonID`, '/associated_persons/:associatedPersonID']

const idsIn = (world: World, { param }: Call): [customerId: string, personId: string] => {
  const personId = param('associatedPersonID')
  return [param('customerID') || businessOf(world, personId).id, personId]
}

const personOperations = (world: World): Operation[] => [
  {
    method: 'GET',
    path: personsPath,
    run: ({ param }) => ({
      data: customerById(world, param('customerID')).persons.map((person) => renderPerson(world, person)),
    }),
  },
  {
    method: 'POST',
    path: personsPath,
    status: 201,
    run: ({ param, body }) => renderPerson(world, addPerson(world, param('customerID'), body)),
  },
  ...personPaths.flatMap((path): Operation[] => [
    { method: 'GET', path, run: (call) => renderPerson(world, personOf(world, ...idsIn(world, call))) },
    { method: 'PUT', path, run: (call) => renderPerson(world, updatePerson(world, ...idsIn(world, call), call.body)) },
    { method: 'DELETE', path, run: (call) => renderPerson(world, removePerson(world, ...idsIn(world, call))) },
  ]),
]

const kycLinkOperations = (world: World): Operation[] => [
  // The provider returns 200 for this creation, as for virtual accounts.
  {
    method: 'POST',
    path: '/kyc_links',
    run: ({ body }) => renderKycLink(world, withEarlyCustomer(world, createKycLink(world, body))),
  },
  {
    method: 'GET',
    path: '/kyc_links',
    run: ({ query }) => {
      const email = single(query, 'email')?.toLowerCase()
      const customerId = single(query, 'customer_id')
      const matching = world.state.kycLinks
        .all()
        .filter((link) => email === undefined || link.email.toLowerCase() === email)
        .filter((link) => customerId === undefined || link.customerId === customerId)
      return mapPage(paginate(matching.reverse(), query), (link) => renderKycLink(world, link))
    },
  },
  {
    method: 'GET',
    path: '/kyc_links/:kycLinkID',
    run: ({ param }) => renderKycLink(world, kycLinkById(world, param('kycLinkID'))),
  },
]
