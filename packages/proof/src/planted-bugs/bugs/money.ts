// Money: exact amounts, checked wallets, nobody paid out who is not approved.

import type { PlantedBug } from '../planted-bug.ts'

const money = 'packages/server/src/platform/values/money.ts'
const amounts = 'packages/server/src/deposits/amounts.rules.ts'
const addingUp = 'packages/server/src/provider/wire/deposit-amounts.test.ts'
const counting = 'packages/server/src/platform/values/money.test.ts'

export const moneyBugs: readonly PlantedBug[] = [
  {
    name: 'amounts-in-floats',
    promise: 'amounts are computed in decimals, never in floats',
    file: money,
    find: 'return decimalPattern.test(text) ? new Decimal(text) : null',
    replace: 'return decimalPattern.test(text) ? new Decimal(Number(text)) : null',
    caughtBy: [{ file: counting, test: 'what floats get wrong is right' }],
  },
  {
    name: 'dollars-shown-as-pesos',
    promise: 'an amount is never shown in a currency it was not measured in',
    file: amounts,
    find: "return currency === 'usd' ? feesOf(dollars) : null",
    replace: 'return currency ? feesOf(dollars) : null',
    caughtBy: [{ file: addingUp, test: 'the dollars of a step never stand as pesos' }],
  },
  {
    name: 'fees-that-do-not-add-up',
    promise: 'gross less both fees is the subtotal, or the fees are unknown',
    file: amounts,
    find: 'if (isWhole && !gross.minus(developerFee).minus(exchangeFee).eq(subtotal)) return { gross, ...noFees }',
    replace: '',
    caughtBy: [{ file: addingUp, test: 'fees that contradict what was paid in are unknown' }],
  },
  {
    name: 'rate-that-misses-the-net-amount',
    promise: 'a rate of the provider leads to the net amount, to the last digit of the coin',
    file: amounts,
    find: 'if (told !== null && subtotal.times(told).minus(converted).abs().lt(lastDigit))',
    replace: 'if (told !== null)',
    caughtBy: [{ file: addingUp, test: 'the provider’s rate is shown where it leads to the net amount' }],
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
    find: 'return amount?.gt(cap) === true',
    replace: 'return amount !== null && formatDecimal(amount) > formatDecimal(cap)',
    caughtBy: [{ file: counting, test: 'a cap holds by value' }],
  },
  {
    name: 'wallet-checksum-not-checked',
    promise: 'a mistyped wallet address is refused',
    file: 'packages/server/src/virtual-accounts/wallet-address.rules.ts',
    find: 'return digits === checksumCase(lower) ? null',
    replace: 'return digits.length === checksumCase(lower).length ? null',
    caughtBy: [
      {
        file: 'packages/server/src/virtual-accounts/wallet-address.rules.test.ts',
        test: 'a letter of wrong case in a checksummed EVM address is always refused',
      },
    ],
  },
  {
    name: 'contract-taken-for-a-wallet',
    promise: 'an address that nobody holds a key of is no destination, in any spelling',
    file: 'packages/server/src/virtual-accounts/wallet-address.rules.ts',
    find: "return address.replace(/^(?:0x|xdc)/, '').toLowerCase()",
    replace: "return address.replace(/^(?:0x|xdc)/, '')",
    caughtBy: [
      {
        file: 'packages/server/src/virtual-accounts/wallet-address.rules.test.ts',
        test: 'each address that nobody holds a key of is refused by name',
      },
    ],
  },
  {
    name: 'account-before-approval',
    promise: 'nobody gets an account whose KYC is not approved',
    file: 'packages/server/src/virtual-accounts/open.ts',
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
    file: 'packages/server/src/deposits/service.ts',
    find: "if (deposit.status === 'completed' && before?.status !== 'completed')",
    replace: "if (deposit.status === 'completed')",
    caughtBy: [
      {
        file: 'packages/server/test/relay-trust.test.ts',
        test: 'a late step that brings facts is told, and the payment is not told again',
      },
    ],
  },
  {
    name: 'account-not-held-against-the-request',
    promise: 'an account that the provider opened for another wallet is never shown as active',
    file: 'packages/server/src/virtual-accounts/terms.rules.ts',
    find: "if (goesElsewhere(asked, made.destination)) return 'destination_mismatch'",
    replace: '',
    caughtBy: [
      {
        file: 'packages/server/test/http/create-virtual-account-answers.test.ts',
        test: 'reads failed, and shows no bank details',
      },
    ],
  },
  {
    name: 'mistyped-number-shown-to-payers',
    promise: 'a number whose check digits are wrong is never shown to a payer',
    file: 'packages/server/src/virtual-accounts/bank-details.rules.ts',
    find: "return isValid ? null : 'bank_details_invalid'",
    replace: 'return null',
    caughtBy: [
      {
        file: 'packages/server/test/http/create-virtual-account-answers.test.ts',
        test: 'reads failed, and shows no bank details',
      },
    ],
  },
]
