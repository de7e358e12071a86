// Money: exact amounts, checked wallets, nobody paid out who is not approved.

import type { PlantedBug } from '../planted-bug.ts'

const money = 'packages/server/src/domain/money.ts'
const counting = 'packages/server/src/domain/money.test.ts'

export const moneyBugs: readonly PlantedBug[] = [
  {
    name: 'amounts-in-floats',
    promise: 'amounts are computed in decimals, never in floats',
    file: money,
    find: 'return { units: unitsAt(left, scale) + unitsAt(right, scale), scale }',
    replace: 'return parseDecimal((Number(formatDecimal(left)) + Number(formatDecimal(right))).toFixed(scale)) ?? left',
    caughtBy: [{ file: counting, test: 'what floats get wrong is right' }],
  },
  {
    name: 'fee-taken-as-a-number',
    promise: 'a fee is a decimal string: a JSON number is refused',
    file: money,
    find: "typeof value !== 'string' || !feePercentPattern.test(value)",
    replace: '!feePercentPattern.test(String(value))',
    caughtBy: [{ file: counting, test: 'every other form of fee is refused' }],
  },
  {
    name: 'fee-above-the-cap',
    promise: 'no fee exceeds the cap of the operator',
    file: money,
    find: 'return amount !== null && compareDecimals(amount, cap) > 0',
    replace: 'return amount !== null && formatDecimal(amount) > formatDecimal(cap)',
    caughtBy: [{ file: counting, test: 'a cap holds by value' }],
  },
  {
    name: 'wallet-checksum-not-checked',
    promise: 'a mistyped wallet address is refused',
    file: 'packages/server/src/domain/wallet-address.ts',
    find: 'return digits === checksumCase(lower) ? null',
    replace: 'return digits.length === checksumCase(lower).length ? null',
    caughtBy: [
      {
        file: 'packages/server/src/domain/wallet-address.test.ts',
        test: 'a letter of wrong case in a checksummed EVM address is always refused',
      },
    ],
  },
  {
    name: 'account-before-approval',
    promise: 'nobody gets an account whose KYC is not approved',
    file: 'packages/server/src/services/virtual-accounts.ts',
    find: 'if (refusal && !wait) throw refusal',
    replace: '',
    caughtBy: [
      {
        file: 'packages/server/test/http/create-virtual-account.test.ts',
        test: '422 an end-user whose KYC is not approved is told the status',
      },
    ],
  },
  {
    name: 'payment-told-twice',
    promise: 'a payment is told to the business once',
    file: 'packages/server/src/services/deposits.ts',
    find: "if (saved.status === 'completed' && row?.status !== 'completed')",
    replace: "if (saved.status === 'completed')",
    caughtBy: [
      {
        file: 'packages/server/test/relay-trust.test.ts',
        test: 'a late step that brings facts is told, and the payment is not told again',
      },
    ],
  },
]
