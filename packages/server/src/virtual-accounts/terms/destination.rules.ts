// Owns the payout destination of an account: a wallet address, or the ID of a wallet or prefunded account at the
// provider. Checks whether the provider's account pays out there.

import type { JsonObject } from '../../platform/values/json.ts'
import { type Account, type Target, walletRail } from '../../provider/port.ts'

/** A destination in a request: with exactly one of its targets. */
export type DestinationInput = {
  payment_rail: string
  currency: string
  address?: string
  bridge_wallet_id?: string
  prefunded_account_id?: string
  blockchain_memo?: string
  travel_rule_data?: JsonObject
}

export const targetNames = ['address', 'bridge_wallet_id', 'prefunded_account_id'] as const

/** A destination as stored. */
export type Destination = {
  destinationPaymentRail: string
  destinationCurrency: string
  /** For a target that is an ID: the address from the provider, empty until then. */
  destinationAddress: string
  destinationWalletId: string | null
  destinationPrefundedAccountId: string | null
  destinationMemo: string | null
}

type Told = Account['destination']

const isById = (asked: Destination): boolean =>
  asked.destinationWalletId !== null || asked.destinationPrefundedAccountId !== null

/** Returns a destination in the shape of the request. */
export function destinationView(asked: Destination) {
  const { destinationWalletId: wallet, destinationPrefundedAccountId: prefunded } = asked
  return {
    payment_rail: asked.destinationPaymentRail,
    currency: asked.destinationCurrency,
    ...(!isById(asked) && { address: asked.destinationAddress }),
    ...(wallet !== null && { bridge_wallet_id: wallet }),
    ...(prefunded !== null && { prefunded_account_id: prefunded }),
    ...(asked.destinationMemo !== null && { blockchain_memo: asked.destinationMemo }),
  }
}

/** Returns a destination in the provider's shape. */
export function upstreamDestination(asked: Destination): Target {
  const { destinationWalletId: wallet, destinationPrefundedAccountId: prefunded } = asked
  return {
    paymentRail: asked.destinationPaymentRail,
    currency: asked.destinationCurrency,
    ...(!isById(asked) && { address: asked.destinationAddress }),
    ...(wallet !== null && { walletId: wallet }),
    ...(prefunded !== null && { prefundedAccountId: prefunded }),
    ...(asked.destinationMemo !== null && { memo: asked.destinationMemo }),
  }
}

/** @returns whether a destination of the provider contradicts ours; omitted parts do not */
export function goesElsewhere(asked: Destination, told: Told): boolean {
  const { paymentRail, currency, memo } = told
  const isOtherRail = paymentRail !== asked.destinationPaymentRail && !(isById(asked) && paymentRail === walletRail)
  return (
    (paymentRail !== null && isOtherRail) ||
    (currency !== null && currency !== asked.destinationCurrency) ||
    isOtherTarget(asked, told) ||
    (memo !== null && memo !== asked.destinationMemo)
  )
}

/** @returns whether a destination of the provider that does not contradict ours names the rail and the target */
export function namesTarget(asked: Destination, { paymentRail, address, walletId, prefundedAccountId }: Told): boolean {
  const target = isById(asked) ? (walletId ?? prefundedAccountId) : address
  return paymentRail !== null && target !== null
}

function isOtherTarget(asked: Destination, { address, walletId, prefundedAccountId }: Told): boolean {
  const isSame = address !== null && isSameAddress(address, asked.destinationAddress)
  if (prefundedAccountId !== null && prefundedAccountId !== asked.destinationPrefundedAccountId) return true
  if (walletId !== null && walletId !== asked.destinationWalletId)
    // The ID next to the requested address only names who keeps the wallet.
    return asked.destinationWalletId !== null || !isSame
  const isNamed = walletId !== null || prefundedAccountId !== null
  // A repeated ID in the response is proof; the address of a target that is an ID is known only from a response.
  return address !== null && asked.destinationAddress !== '' && !isSame && !isNamed
}

/**
 * @returns whether the response to a change still names the target before the change. The provider does not document
 * whether a change from its own wallet to an address removes the wallet.
 */
export function keepsOldTarget(before: Destination, asked: Destination, told: Told): boolean {
  const { destinationWalletId: oldWallet } = before
  const staysWallet = asked.destinationWalletId !== oldWallet && told.walletId === oldWallet
  const staysAddress = told.walletId === null && isSameAddress(told.address ?? '', before.destinationAddress)
  return oldWallet === null ? isById(asked) && !isById(before) && staysAddress : staysWallet
}

/** The case of a hexadecimal address is a checksum, and XDC writes `xdc` for `0x`: the provider may keep neither. */
function isSameAddress(one: string, other: string): boolean {
  const hex = (address: string) => address.toLowerCase().replace(/^xdc/, '0x')
  return one === other || (hex(one).startsWith('0x') && hex(one) === hex(other))
}

/** @returns the provider's address for a target that is an ID; nothing for another target */
export function learnedAddress(asked: Destination, { address }: Told): { destinationAddress?: string } {
  return isById(asked) && address !== null && address !== asked.destinationAddress
    ? { destinationAddress: address }
    : {}
}

/**
 * @returns the destination in the provider's response if it differs from ours: complete, because a target belongs to
 * its rail
 */
export function changedDestination(current: Destination, told: Told): Partial<Destination> | null {
  if (!goesElsewhere(current, told)) {
    const learned = learnedAddress(current, told)
    return Object.keys(learned).length > 0 ? learned : null
  }
  const { paymentRail, currency, address, walletId, prefundedAccountId, memo } = told
  const hasTarget = address !== null || walletId !== null || prefundedAccountId !== null
  if (paymentRail === null || currency === null || !hasTarget) return null
  return {
    destinationPaymentRail: paymentRail,
    destinationCurrency: currency,
    destinationAddress: address ?? '',
    destinationWalletId: walletId,
    destinationPrefundedAccountId: prefundedAccountId,
    destinationMemo: memo,
  }
}
