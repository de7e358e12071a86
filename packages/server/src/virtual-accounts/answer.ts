// The provider's answer to an account that was asked for, held against the request: a payer must never see bank details whose
// money goes elsewhere.

import type { Deps } from '../app/context.ts'
import { payableNumber } from '../deposits/instructions.rules.ts'
import { accountAnswersRefused } from '../platform/observe/metrics.ts'
import type { ProviderVirtualAccount } from '../provider/types.ts'
import type { VirtualAccountRow } from './store.ts'
import type { CheckedDestination } from './terms.ts'

/** Shown as the `failureCode` of the account. */
export type Mismatch = 'currency_mismatch' | 'destination_mismatch' | 'bank_details_missing'

/** What the answer leaves out contradicts nothing, but without a number nobody can pay in. */
export function mismatchOf(
  asked: CheckedDestination & Pick<VirtualAccountRow, 'sourceCurrency'>,
  { instructions, destination }: Pick<ProviderVirtualAccount, 'instructions' | 'destination'>,
): Mismatch | null {
  if (instructions.currency !== asked.sourceCurrency) return 'currency_mismatch'
  if (goesElsewhere(asked, destination)) return 'destination_mismatch'
  return payableNumber(instructions) === null ? 'bank_details_missing' : null
}

export function goesElsewhere(asked: CheckedDestination, told: ProviderVirtualAccount['destination']): boolean {
  const { paymentRail, currency, address, memo } = told
  return (
    (paymentRail !== null && paymentRail !== asked.destinationPaymentRail) ||
    (currency !== null && currency !== asked.destinationCurrency) ||
    (address !== null && !isSameAddress(address, asked.destinationAddress)) ||
    // An answer may leave a memo out. One that it names must be the one that was asked for.
    (memo !== null && memo !== asked.destinationMemo)
  )
}

/** The case of a hexadecimal address is a checksum, and XDC writes `xdc` for `0x`: the provider need keep neither. */
export function isSameAddress(one: string, other: string): boolean {
  const hex = (address: string) => address.toLowerCase().replace(/^xdc/, '0x')
  return one === other || (hex(one).startsWith('0x') && hex(one) === hex(other))
}

/** The operator must look: the provider holds an account, or a destination, that nobody asked for. */
export function reportMismatch(
  deps: Deps,
  account: Pick<VirtualAccountRow, 'id'>,
  { id: providerAccount }: Pick<ProviderVirtualAccount, 'id'>,
  code: Mismatch,
): void {
  accountAnswersRefused.inc({ code })
  deps.log.error({ account: account.id, providerAccount, code }, 'the provider’s account is other than was asked')
}
