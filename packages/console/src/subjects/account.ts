// The states of an account, in words: several subjects show accounts.

import type { VirtualAccount } from '@causeway/sdk'
import type { Tone } from '../components/ui/badge.tsx'
import { accountStatuses, sourceCurrencies } from './filter-values.ts'

type Status = VirtualAccount['status']

type Words = { tone: Tone; words: string; means: string }

export const accountStates: Readonly<Record<Status, Words>> = {
  active: { tone: 'good', words: 'Active', means: 'The account receives deposits.' },
  pending: {
    tone: 'busy',
    words: 'Pending',
    means: 'The provider is opening the account, or its end-user is not approved yet. There are no bank details yet.',
  },
  suspended: {
    tone: 'warn',
    words: 'Suspended',
    means: 'This account cannot receive deposits. It resumes automatically when the provider allows deposits again.',
  },
  deactivated: {
    tone: 'off',
    words: 'Deactivated',
    means: 'The account cannot receive deposits until you reactivate it.',
  },
  failed: {
    tone: 'bad',
    words: 'Failed',
    means: 'The account could not be opened. Open another account.',
  },
}

/** Why an account is suspended. */
export const suspensions: Readonly<Record<NonNullable<VirtualAccount['suspendedReason']>, string>> = {
  end_user_paused: 'The provider has paused the end-user.',
  end_user_offboarded: 'The provider has closed the end-user’s case.',
  end_user_rejected: 'The provider has rejected the end-user.',
  deposits_restricted: 'The provider has restricted deposits for the end-user.',
  rail_inactive: 'The currency is not active for the end-user.',
}

const failures: Readonly<Record<string, string>> = {
  customer_mismatch: 'The provider opened the account for a different customer.',
  currency_mismatch: 'The provider opened the account in a different currency.',
  destination_mismatch: 'The provider opened the account with a different destination.',
  fee_mismatch: 'The provider opened the account with a different fee.',
  bank_details_missing: 'The provider opened the account without bank details.',
  bank_details_invalid: 'The provider opened the account with bank details whose check digits are wrong.',
  not_activated: 'The provider opened the account but did not activate it within 24 hours.',
  never_seen: 'The provider’s response was lost or could not be read, and the provider shows no such account.',
  provider_response_unreadable: 'The provider’s responses about the account could not be read for 24 hours.',
  coin_not_available_in_region:
    'The provider does not offer this coin in the EEA: open another account with USDC or EURC.',
}

/** Why an account failed. A word of the provider that is new to us is shown as it came. */
export const failureWords = (code: string): string =>
  failures[code] ?? `The provider refused the account: ${code.replaceAll('_', ' ')}.`

export const statusOptions = accountStatuses.map((status) => [status, accountStates[status].words] as const)

export const currencyOptions = sourceCurrencies.map((currency) => [currency, currency.toUpperCase()] as const)
