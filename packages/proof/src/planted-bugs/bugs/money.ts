// Money: exact amounts, checked wallets, nobody paid out who is not approved, no payer led to an account that takes no deposits.
// Above the usual length: a list.

import type { PlantedBug } from '../planted-bug.ts'

const money = 'packages/server/src/platform/values/money.ts'
const amounts = 'packages/server/src/deposits/amounts.rules.ts'
const addingUp = 'packages/server/src/provider/bridge/wire/deposit-amounts.test.ts'
const receipts = 'packages/server/src/provider/bridge/wire/receipt-forms.test.ts'
const counting = 'packages/server/src/platform/values/money.test.ts'
const rules = 'packages/server/src/virtual-accounts/standing/standing.rules.ts'
const combining = 'packages/server/src/virtual-accounts/standing/standing.rules.test.ts'
const standing = 'packages/server/test/account-standing.test.ts'
const details = 'packages/server/test/bank-details.test.ts'

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
    name: 'dollars-shown-as-euros',
    promise: 'an amount is never shown in a currency it was not measured in',
    file: amounts,
    find: "peg === 'usd' ? lastReported(payouts, ({ dollars }) => unsigned(dollars.gasFee)) : null",
    replace: 'lastReported(payouts, ({ dollars }) => unsigned(dollars.gasFee))',
    caughtBy: [{ file: addingUp, test: 'the dollars of a step never stand as pesos' }],
  },
  {
    name: 'fees-that-do-not-add-up',
    promise: 'gross less both fees is the subtotal, or the fees are unknown',
    file: amounts,
    find: 'isContradicted || !addsUp(gross, sides) ?',
    replace: 'isContradicted ?',
    caughtBy: [{ file: addingUp, test: 'fees that contradict what was paid in are unknown' }],
  },
  {
    name: 'newer-subtotal-in-the-source-currency',
    promise: 'the subtotal of a newer receipt is never shown as what went into the conversion',
    file: 'packages/server/src/deposits/receipt.rules.ts',
    find: 'subtotal: exchanged,',
    replace: 'subtotal,',
    caughtBy: [{ file: receipts, test: '20,000 MXN in the newer form' }],
  },
  {
    name: 'fee-after-conversion-in-the-source-currency',
    promise: 'a fee that is taken after the conversion is shown in the coin',
    file: amounts,
    find: 'destinationExchangeFee: inDestination(',
    replace: 'destinationExchangeFee: inSource(',
    caughtBy: [{ file: receipts, test: 'a fee after the conversion is in the coin' }],
  },
  {
    name: 'net-amount-of-a-foreign-payout',
    promise: 'a payout beside a fiat currency other than the dollar shows no net amount before its receipt',
    file: amounts,
    find: "return currency === null || currency === 'usd' || !isFiatCurrency(currency)",
    replace: 'return currency !== undefined',
    caughtBy: [{ file: receipts, test: 'a payout beside a fiat currency other than the dollar' }],
  },
  {
    name: 'number-that-json-rounds',
    promise: 'an amount is read exactly or is unknown',
    file: 'packages/server/src/platform/values/json.ts',
    find: 'if (!longNumber.test(text)) return JSON.parse(text)',
    replace: 'return JSON.parse(text)',
    caughtBy: [{ file: receipts, test: 'an amount is read exactly in each way in which a number is written' }],
  },
  {
    name: 'refund-counted-nowhere',
    promise: 'a refund counts on its own day, also where the deposit was never completed',
    file: 'packages/server/src/deposits/report.store.ts',
    find: 'coalesce(sum(refunded_amount), 0)::text',
    replace: 'coalesce(sum(refunded_amount) filter (where completed_at is not null), 0)::text',
    caughtBy: [
      {
        file: 'packages/server/test/http/sum-completed-deposits.test.ts',
        test: '200 a refund counts on its own day',
      },
    ],
  },
  {
    name: 'rate-that-misses-the-net-amount',
    promise: 'a rate of the provider leads to the net amount, to the last digit of the coin',
    file: amounts,
    find: 'if (reported !== null && subtotal.times(reported).minus(converted).abs().lt(lastDigit))',
    replace: 'if (reported !== null)',
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
    file: 'packages/server/src/virtual-accounts/terms/wallet-address.rules.ts',
    find: 'return digits === checksumCase(lower) ? null',
    replace: 'return digits.length === checksumCase(lower).length ? null',
    caughtBy: [
      {
        file: 'packages/server/src/virtual-accounts/terms/wallet-address.rules.test.ts',
        test: 'a letter of wrong case in a checksummed EVM address is always refused',
      },
    ],
  },
  {
    name: 'contract-taken-for-a-wallet',
    promise: 'an address that nobody holds a key of is no destination, in any spelling',
    file: 'packages/server/src/virtual-accounts/terms/wallet-address.rules.ts',
    find: "return address.replace(/^(?:0x|xdc)/, '').toLowerCase()",
    replace: "return address.replace(/^(?:0x|xdc)/, '')",
    caughtBy: [
      {
        file: 'packages/server/src/virtual-accounts/terms/wallet-address.rules.test.ts',
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
    name: 'coin-refused-by-registration-alone',
    promise: 'a company that operates in the EEA gets no coin that the provider does not offer there',
    file: 'packages/server/src/virtual-accounts/terms/terms.rules.ts',
    find: '(user.residesInEea === true || user.operatesInEea === true)',
    replace: 'user.residesInEea === true',
    caughtBy: [
      {
        file: 'packages/server/test/http/virtual-account-region.test.ts',
        test: '422 a company that is registered or operates in the EEA',
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
    name: 'old-wallet-left-behind',
    promise: 'a change to an address is not taken over while the provider still names the old wallet',
    file: 'packages/server/src/virtual-accounts/terms/destination.rules.ts',
    find: 'return oldWallet === null ? isById(asked) && !isById(before) && staysAddress : staysWallet',
    replace: 'return isById(asked) && !isById(before) && staysAddress && !staysWallet',
    caughtBy: [
      {
        file: 'packages/server/src/virtual-accounts/terms/destination.rules.test.ts',
        test: 'a response that still names the old target of a change is seen',
      },
    ],
  },
  {
    name: 'account-not-held-against-the-request',
    promise: 'an account that the provider opened for another wallet is never shown as active',
    file: 'packages/server/src/virtual-accounts/terms/terms.rules.ts',
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
  {
    name: 'unreadable-response-sent-again',
    promise: 'a write whose response cannot be read is settled by reading, and is not sent again',
    file: 'packages/server/src/provider/operations/operations.ts',
    find: '(!operation.mustBeRead && !isReadFirst)',
    replace: '!isReadFirst',
    caughtBy: [
      {
        file: 'packages/server/test/provider-unreadable.test.ts',
        test: '500 an account whose response names no ID is found in the list of the customer',
      },
    ],
  },
  {
    name: 'undated-account-taken-for-older',
    promise: 'an account at the provider that may be ours does not count as absent',
    file: 'packages/server/src/virtual-accounts/open-upstream.ts',
    find: '(one.createdAtMs === null || one.createdAtMs >= sinceMs)',
    replace: 'one.createdAtMs !== null && one.createdAtMs >= sinceMs',
    caughtBy: [
      {
        file: 'packages/server/test/http/create-virtual-account-upstream.test.ts',
        test: 'may be ours: it is read for a day, and given up',
      },
    ],
  },
  {
    name: 'account-payable-after-its-end-user-was-stopped',
    promise: 'an account is payable exactly when the provider’s facts allow it',
    file: 'packages/server/src/virtual-accounts/store.ts',
    find: 'or v.provider_status is not null and v.suspended_reason is distinct from',
    replace: 'or false and v.suspended_reason is distinct from',
    caughtBy: [{ file: standing, test: 'nobody is told to pay in, and it is resumed' }],
  },
  {
    name: 'verdict-followed-by-one-page-of-accounts',
    promise: 'all accounts of an end-user follow a verdict, however many there are',
    file: 'packages/server/src/virtual-accounts/standing/verdict.ts',
    find: 'await saveAccountsDue(tx, user, !isLast)',
    replace: 'await saveAccountsDue(tx, user, false)',
    caughtBy: [{ file: standing, test: 'a verdict on an end-user with many accounts' }],
  },
  {
    name: 'account-payable-without-its-rail',
    promise: 'an account is payable exactly when the provider’s facts allow it: its rail among them',
    file: rules,
    find: "rail_inactive: ({ rails }, currency) => rails[currency] !== 'active',",
    replace: "rail_inactive: ({ rails }, currency) => rails[currency] === 'inactive',",
    caughtBy: [{ file: combining, test: 'an account is active exactly when customer, rail and activation allow it' }],
  },
  {
    name: 'terms-of-a-suspended-account-changed',
    promise: 'the terms of an account that takes no deposits are not changed',
    file: 'packages/server/src/virtual-accounts/service.ts',
    find: '  if (reason === null) return\n',
    replace: '  if (reason !== null) return\n',
    caughtBy: [{ file: standing, test: 'changes of a suspended account are refused with one code' }],
  },
  {
    name: 'bank-details-read-once',
    promise: 'bank details that the provider changes take the place of ours',
    file: 'packages/server/src/virtual-accounts/refresh.ts',
    find: '    ...newDetailsIn(deps, account, answer),\n',
    replace: '',
    caughtBy: [{ file: details, test: 'the answer of a change, and a walk, tell of other details' }],
  },
  {
    name: 'former-bank-details-forgotten',
    promise: 'the bank details that an account had before can be found',
    file: 'packages/server/src/virtual-accounts/standing/follow.ts',
    find: '  if (changes.instructions && before.instructions) await keepDetails(tx, businessId, id)\n',
    replace: '',
    also: [
      {
        file: 'packages/server/src/virtual-accounts/standing/follow.ts',
        find: "import { keepDetails } from './former-details.store.ts'\n",
        replace: '',
      },
    ],
    caughtBy: [{ file: details, test: 'the former details are listed newest first' }],
  },
  {
    name: 'numbers-of-two-bank-accounts-combined',
    promise: 'numbers of two bank accounts are never combined, on no rail',
    file: rules,
    find: 'if (own) return fits(numbers, own.numbers) ? own.numbers : null',
    replace: 'if (own) return { ...own.numbers, ...numbers }',
    caughtBy: [{ file: combining, test: 'parts of two bank accounts are never combined' }],
  },
]
