// Operations on KYC links.

import type { Operation } from '../platform/operations.ts'
import { mapPage, paginate, single } from '../platform/pagination.ts'
import type { World } from '../state/world.ts'
import { withEarlyCustomer } from './kyc-link-customers.ts'
import { createKycLink, kycLinkById, renderKycLink } from './kyc-links.ts'

export const kycLinkOperations = (world: World): Operation[] => [
  // The one creation beside virtual accounts that upstream answers with 200.
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
