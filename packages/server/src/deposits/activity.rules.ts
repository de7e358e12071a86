// One step of a deposit: what the provider told, by the currency it was measured in.

import type { DepositActivity } from '../provider/types.ts'

/** What the account takes in and what it sends on. */
export type DepositRoute = { sourceCurrency: string; destinationCurrency: string }

/** @returns what the most authoritative of the activities tells that tells it at all */
export function last<T>(
  activities: readonly DepositActivity[],
  tell: (activity: DepositActivity) => T | null,
): T | null {
  for (const activity of activities.toReversed()) {
    const fact = tell(activity)
    if (fact !== null) return fact
  }
  return null
}
