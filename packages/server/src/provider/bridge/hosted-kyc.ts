// Bridge's hosted KYC pages.

import type { HostedKyc } from '../port.ts'
import type { BridgeClient } from './client.ts'
import { pageOf } from './verdict.ts'

export function hostedKycOf(client: BridgeClient): HostedKyc {
  return {
    async createForNew({ returnTo, termsAccepted, ...about }, write) {
      const link = {
        ...about,
        ...(returnTo !== undefined && { redirectUri: returnTo }),
        ...(termsAccepted && { developerAcceptedTos: termsAccepted }),
      }
      return pageOf(await client.createKycLink(link, write))
    },
    linkOfCustomer: (customerId, { endorsement, returnTo }) =>
      client.getCustomerKycLink(customerId, {
        ...(endorsement !== undefined && { endorsement }),
        ...(returnTo !== undefined && { redirectUri: returnTo }),
      }),
    readPage: async (id) => pageOf(await client.getKycLink(id)),
  }
}
