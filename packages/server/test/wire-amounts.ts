// The amounts of a deposit from Bridge's activities, as short texts.

import assert from 'node:assert/strict'
import { advance, type DepositState, type ShownDeposit, shownDeposit } from '../src/deposits/state.rules.ts'
import type { Amount } from '../src/platform/values/money.ts'
import { readActivity } from '../src/provider/bridge/wire/activity.ts'

type Route = { sourceCurrency: string; destinationCurrency: string }

/** @param pair such as `mxn usdc` */
export function routeOf(pair: string): Route {
  const [sourceCurrency = '', destinationCurrency = ''] = pair.split(' ')
  return { sourceCurrency, destinationCurrency }
}

/** Applies the steps of one deposit in the order given. */
export function factsOf(route: Route, steps: readonly Record<string, unknown>[]): ShownDeposit {
  const state = steps.reduce<DepositState | null>(
    (known, step) => advance(known, readActivity({ deposit_id: 'dep_1', ...step }, null).activity, route).state,
    null,
  )
  assert.ok(state)
  return shownDeposit(state)
}

export function amountsOf(facts: ShownDeposit) {
  const shown = (amount: Amount | null) => amount && `${amount.value} ${amount.currency}`
  return {
    gross: shown(facts.grossAmount),
    developerFee: shown(facts.developerFee),
    exchangeFee: shown(facts.exchangeFee),
    subtotal: shown(facts.subtotalAmount),
    rate: facts.exchangeRate && `${facts.exchangeRate} ${facts.exchangeRateSource}`,
    feeAfter: shown(facts.destinationExchangeFee),
    gas: shown(facts.gasFee),
    net: shown(facts.netAmount),
  }
}

/** The amounts of a deposit of which nothing is certain. */
export const nothing: ReturnType<typeof amountsOf> = {
  gross: null,
  developerFee: null,
  exchangeFee: null,
  subtotal: null,
  rate: null,
  feeAfter: null,
  gas: null,
  net: null,
}
