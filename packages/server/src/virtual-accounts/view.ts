// What the API shows of a virtual account, and what its events carry.

import type { JsonObject } from '../platform/values/json.ts'
import { isoTime } from '../platform/values/time.ts'
import type { VirtualAccountRow } from './store.ts'

/** The spec's nine fields, and ours beside them; all strings. The last ones are there where they say something. */
export function virtualAccountView(row: VirtualAccountRow) {
  const bank = row.instructions
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
    ...(row.destinationMemo === null ? {} : { destinationBlockchainMemo: row.destinationMemo }),
    ...(row.pendingDestination === null
      ? {}
      : pendingDestinationView(row.pendingDestination, row.pendingDestinationAt)),
    ...(row.failureCode === null ? {} : { failureCode: row.failureCode }),
    createdAt: isoTime(row.createdAt),
    updatedAt: isoTime(row.updatedAt),
  }
}

/** One that is being made at the provider right now has no time any more. */
function pendingDestinationView(pending: JsonObject, from: Date | null) {
  return {
    pendingDestinationAddress: String(pending['destinationAddress']),
    pendingDestinationPaymentRail: String(pending['destinationPaymentRail']),
    pendingDestinationCurrency: String(pending['destinationCurrency']),
    ...(from === null ? {} : { pendingDestinationFrom: isoTime(from) }),
  }
}
