// Derives the state of a virtual account from the provider's facts, and lists the parts that a change has changed.

import { isDeepStrictEqual } from 'node:util'
import type { JsonObject } from '../../platform/values/json.ts'
import type { FiatCurrency } from '../../platform/values/rails.ts'
import type { DepositInstructions, ProviderInstructions } from '../../provider/bridge/wire/types.ts'
import { type Destination, destinationView } from '../terms/destination.rules.ts'

/** Why an account is suspended. If several reasons hold, the first in this order is shown. */
export const suspendedReasons = [
  'end_user_paused',
  'end_user_offboarded',
  'end_user_rejected',
  'deposits_restricted',
  'rail_inactive',
] as const
export type SuspendedReason = (typeof suspendedReasons)[number]

/** Whether the account itself is switched on at the provider. */
export type ProviderAccountStatus = 'activated' | 'deactivated'

/** The facts about an end-user on which accounts depend. */
export type HolderFacts = {
  kycStatus: string
  providerStatus: string | null
  rails: Partial<Record<FiatCurrency, string>>
}

const isRestricted = ({ providerStatus }: HolderFacts) => providerStatus === 'deposits_restricted'

const holds: Readonly<Record<SuspendedReason, (holder: HolderFacts, currency: FiatCurrency) => boolean>> = {
  // The KYC status of an end-user with restricted deposits is `paused` as well.
  end_user_paused: (holder) => holder.kycStatus === 'paused' && !isRestricted(holder),
  end_user_offboarded: ({ kycStatus }) => kycStatus === 'offboarded',
  end_user_rejected: ({ kycStatus }) => kycStatus === 'rejected',
  deposits_restricted: isRestricted,
  rail_inactive: ({ rails }, currency) => rails[currency] !== 'active',
}

/** @returns why an account of this end-user in this currency cannot receive deposits; null when it can */
export function suspensionOf(holder: HolderFacts, currency: FiatCurrency): SuspendedReason | null {
  return suspendedReasons.find((reason) => holds[reason](holder, currency)) ?? null
}

/** Derives the state of an account that is open at the provider. */
export function standingOf(providerStatus: ProviderAccountStatus, holder: HolderFacts, currency: FiatCurrency) {
  const suspendedReason = suspensionOf(holder, currency)
  if (providerStatus === 'deactivated') return { status: 'deactivated', suspendedReason } as const
  return { status: suspendedReason === null ? 'active' : 'suspended', suspendedReason } as const
}

const railsWhenUnnamed: Readonly<Record<FiatCurrency, string[]>> = {
  usd: ['ach_push', 'wire'],
  eur: ['sepa'],
  mxn: ['spei'],
  brl: ['pix'],
  gbp: ['faster_payments'],
  cop: ['bre_b'],
}

/** @returns the bank details to store first, with the usual rails of the currency if the provider names none */
export function firstDetails(read: ProviderInstructions, currency: FiatCurrency): DepositInstructions {
  return { ...read, paymentRails: read.paymentRails ?? railsWhenUnnamed[currency] }
}

const numbers = ['accountNumber', 'routingNumber', 'iban', 'bic', 'clabe', 'sortCode', 'pixCode', 'breBKey'] as const

/**
 * Combines our bank details with those of a response. A part that the response leaves out keeps its value, unless a number
 * differs: parts of two bank accounts are never combined.
 * @returns `ours` if nothing differs
 */
export function nextDetails(ours: DepositInstructions, read: ProviderInstructions): DepositInstructions {
  const isOtherBankAccount = numbers.some((name) => read[name] !== null && read[name] !== ours[name])
  const named = Object.fromEntries(Object.entries(read).filter(([, value]) => value !== null))
  const rails = read.paymentRails ?? ours.paymentRails
  const hasOtherRails = !isDeepStrictEqual(new Set(ours.paymentRails), new Set(rails))
  const next = {
    ...(isOtherBankAccount ? read : { ...ours, ...named }),
    paymentRails: hasOtherRails ? rails : ours.paymentRails,
  }
  return isDeepStrictEqual(next, ours) ? ours : next
}

/** The parts that `virtual_account.updated` names as changed. */
export const accountParts = [
  'destination',
  'pendingDestination',
  'developerFeePercent',
  'feeConfig',
  'metadata',
  'bankDetails',
  'suspendedReason',
] as const
export type AccountPart = (typeof accountParts)[number]

type Account = Destination & {
  status: string
  suspendedReason: SuspendedReason | null
  developerFeePercent: string
  feeConfig: JsonObject | null
  metadata: Record<string, string>
  instructions: DepositInstructions | null
  pendingDestination: Destination | null
  pendingDestinationAt: Date | null
}

/** Lists what has changed. The event of a new status reports a reason that came or went with the status. */
export function changedParts(before: Account, after: Account): AccountPart[] {
  const partsOf = (account: Account): Record<AccountPart, unknown> => ({
    destination: [account.destinationAddress, destinationView(account)],
    pendingDestination: account.pendingDestination,
    developerFeePercent: account.developerFeePercent,
    feeConfig: account.feeConfig,
    metadata: account.metadata,
    bankDetails: account.instructions,
    suspendedReason: account.status === 'suspended' && before.status === after.status && account.suspendedReason,
  })
  const [old, now] = [partsOf(before), partsOf(after)]
  return accountParts.filter((part) => !isDeepStrictEqual(old[part], now[part]))
}
