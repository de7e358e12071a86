// The provider's link to its hosted KYC page.

import { rejectionReasons } from './customer.ts'
import { readObject, requiredText, text, webLink } from './fields.ts'

export function readKycLink(value: unknown) {
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
