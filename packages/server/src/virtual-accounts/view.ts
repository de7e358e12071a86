// An account's row as the API and the account's events show it.

import { isoTime } from '../platform/values/time.ts'
import type { VirtualAccountRow } from './store.ts'

export type VirtualAccountView = ReturnType<typeof virtualAccountView>

/** Shows an account: the specification's nine fields and ours, all strings. */
export function virtualAccountView(row: VirtualAccountRow) {
  const { instructions: bank, pendingDestination: pending, pendingDestinationAt: pendingFrom } = row
  return {
    id: row.id,
    bankName: bank?.bankName ?? '',
    bankAccountNumber: bank?.iban ?? bank?.clabe ?? bank?.accountNumber ?? bank?.pixCode ?? bank?.breBKey ?? '',
    bankRoutingNumber: bank?.bic ?? bank?.routingNumber ?? bank?.sortCode ?? '',
    beneficiaryName: bank?.beneficiaryName ?? '',
    beneficiaryAddress: bank?.beneficiaryAddress ?? '',
    destinationAddress: row.destinationAddress,
    destinationPaymentRail: row.destinationPaymentRail,
    destinationCurrency: row.destinationCurrency,
    externalUserId: row.externalUserId,
    status: row.status,
    sourceCurrency: row.sourceCurrency,
    developerFeePercent: row.developerFeePercent,
    ...(row.destinationMemo !== null && { destinationBlockchainMemo: row.destinationMemo }),
    ...(pending !== null && {
      pendingDestinationAddress: pending.destinationAddress,
      pendingDestinationPaymentRail: pending.destinationPaymentRail,
      pendingDestinationCurrency: pending.destinationCurrency,
      // A destination on its way to the provider has no time any more.
      ...(pendingFrom !== null && { pendingDestinationFrom: isoTime(pendingFrom) }),
    }),
    ...(row.failureCode !== null && { failureCode: row.failureCode }),
    createdAt: isoTime(row.createdAt),
    updatedAt: isoTime(row.updatedAt),
  }
}
