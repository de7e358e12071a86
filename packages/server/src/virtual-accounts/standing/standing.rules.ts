// Derives the state of a virtual account from the provider's facts, and lists the parts that a change has changed.

import { isDeepStrictEqual } from 'node:util'
import type { JsonObject } from '../../platform/values/json.ts'
import type { FiatCurrency } from '../../platform/values/rails.ts'
import type { BankNumbers, Instructions } from '../../provider/port.ts'
import type { DepositInstructions, RailNumbers } from '../bank-details.rules.ts'
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
  pauseReason: string | null
  rails: Partial<Record<FiatCurrency, string>>
}

const isRestricted = ({ pauseReason }: HolderFacts) => pauseReason === 'deposits_restricted'

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
export function firstDetails(read: Instructions, currency: FiatCurrency): DepositInstructions {
  return { ...read, rails: namedRails(read, railsWhenUnnamed[currency]) }
}

/** @param unnamed the rails of an account if the response names none: each has the same numbers */
function namedRails({ rails }: Instructions, unnamed: readonly string[]): RailNumbers[] {
  return rails.flatMap(({ rail, numbers }) =>
    (rail === null ? unnamed : [rail]).map((name) => ({ rail: name, numbers })),
  )
}

/** Whether nothing contradicts: a number that was left out may be any. */
function fits(read: BankNumbers, held: BankNumbers): boolean {
  return Object.entries(read).every(([name, number]) => held[name as keyof BankNumbers] === number)
}

/**
 * Combines our bank details with those of a response, rail by rail. A part that the response leaves out keeps its value, unless a
 * number of that rail differs: parts of two bank accounts are never combined.
 * @returns `ours` if nothing differs
 */
export function nextDetails(ours: DepositInstructions, read: Instructions): DepositInstructions {
  const places = ours.rails.map(({ rail }) => rail)
  const isOneSet = read.rails.every(({ numbers }) => isDeepStrictEqual(numbers, read.rails[0]?.numbers))
  const told = namedRails(read, places).map(({ rail, numbers }) => {
    const held = heldNumbers(ours, rail, numbers, isOneSet)
    return { rail, numbers: held ?? numbers, isOther: held === null }
  })
  const rails = told.map(({ rail, numbers }) => ({ rail, numbers }))
  const hasSameRails = isDeepStrictEqual(new Set(places), new Set(rails.map(({ rail }) => rail)))
  if (hasSameRails) rails.sort((one, other) => places.indexOf(one.rail) - places.indexOf(other.rail))
  const named = Object.fromEntries(Object.entries(read).filter(([, value]) => value !== null))
  // The bank is common to all rails: with other numbers on one, its name may be another.
  const next = { ...(told.some(({ isOther }) => isOther) ? read : { ...ours, ...named }), rails }
  return isDeepStrictEqual(next, ours) ? ours : next
}

/**
 * @param isOneSet whether the response has the same numbers for all rails: then a further rail has those of the others
 * @returns our numbers of the rail; null for those of another bank account
 */
function heldNumbers(
  { rails }: DepositInstructions,
  rail: string,
  numbers: BankNumbers,
  isOneSet: boolean,
): BankNumbers | null {
  const own = rails.find((each) => each.rail === rail)
  if (own) return fits(numbers, own.numbers) ? own.numbers : null
  const isNamed = isOneSet && Object.keys(numbers).length > 0
  return rails.find((each) => isNamed && fits(numbers, each.numbers))?.numbers ?? null
}

/** @returns the numbers of the rail that comes first in the offer; those of any rail if none is offered */
export function firstNumbers({ rails }: DepositInstructions, offered: readonly string[]): BankNumbers {
  const [first] = offered.flatMap((name) => rails.filter(({ rail }) => rail === name))
  return (first ?? rails[0])?.numbers ?? {}
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
