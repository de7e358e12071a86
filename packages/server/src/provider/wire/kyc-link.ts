// The provider's KYC link: the request for one, and what it answers.

import type { JsonObject } from '../../platform/values/json.ts'
import type { Provider } from '../port.ts'
import type { ProviderKycLink } from '../types.ts'
import { rejectionReasons } from './customer.ts'
import { readObject, requiredText, text, webLink } from './fields.ts'

export function kycLinkBody(input: Parameters<Provider['createKycLink']>[0]): JsonObject {
  return {
    email: input.email,
    type: input.type,
    ...(input.fullName !== undefined && { full_name: input.fullName }),
    ...(input.endorsements !== undefined && { endorsements: input.endorsements }),
    ...(input.redirectUri !== undefined && { redirect_uri: input.redirectUri }),
  }
}

export function readKycLink(value: unknown): ProviderKycLink {
  const link = readObject(value)
  return {
    id: requiredText(link, 'kyc link', 'id'),
    // Null until both the terms and the verification are done.
    customerId: text(link, 'customer_id'),
    kycLink: webLink(text(link, 'kyc_link') ?? ''),
    tosLink: webLink(text(link, 'tos_link') ?? ''),
    kycStatus: requiredText(link, 'kyc link', 'kyc_status'),
    tosStatus: requiredText(link, 'kyc link', 'tos_status'),
    rejectionReasons: rejectionReasons(link),
  }
}
