// The amounts of a deposit, computed from its activities by the rules of the core, compared with the drawn ones.

import assert from 'node:assert/strict'
import { advance, type DepositState, shownDeposit } from '../../src/deposits/state.rules.ts'
import type { ProviderActivity } from '../../src/provider/port.ts'

export type Pair = { sourceCurrency: string; destinationCurrency: string }
/** The members of `shown` that were drawn, each exact or null. */
export type Drawn = { id: string; pair: Pair; status: string; shown: Record<string, unknown> }

/** Computes a deposit from activities in any order. */
export function depositOf(activities: readonly ProviderActivity[], pair: Pair) {
  let state: DepositState | null = null
  for (const { activity } of activities) ({ state } = advance(state, activity, pair))
  assert.ok(state, 'the activities make a deposit')
  return { status: state.status as string, ...shownDeposit(state) }
}
