// Operations on customers: the record, the links to their hosted pages, and the approval that a sandbox can simulate.

import { kycLinkFor } from '../pages/hosted-pages.ts'
import type { Operation } from '../platform/operations.ts'
import { choice, mapPage, paginate, single } from '../platform/pagination.ts'
import type { World } from '../state/world.ts'
import { createCustomer, removeCustomer, updateCustomer } from './customers.ts'
import { isEndorsement } from './endorsements.ts'
import { approveOnRequest } from './kyc.ts'
import { redirectIn } from './kyc-links.ts'
import { customerById, renderCustomer } from './record.ts'
import { endorsementNames } from './rows.ts'
import { createTosLink, tosLinkFor } from './tos.ts'

export const customerOperations = (world: World): Operation[] => [
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
        endorsement: isEndorsement(endorsement) ? endorsement : null,
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
