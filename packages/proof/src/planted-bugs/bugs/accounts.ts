// Virtual accounts as the provider has them: payable exactly when its facts allow it, and with its bank details.

import type { PlantedBug } from '../planted-bug.ts'

const rules = 'packages/server/src/virtual-accounts/standing/standing.rules.ts'
const combining = 'packages/server/src/virtual-accounts/standing/standing.rules.test.ts'
const standing = 'packages/server/test/account-standing.test.ts'
const details = 'packages/server/test/bank-details.test.ts'

export const accountBugs: readonly PlantedBug[] = [
  {
    name: 'account-payable-after-its-end-user-was-stopped',
    promise: 'an account is payable exactly when the provider’s facts allow it',
    file: 'packages/server/src/end-users/kyc/apply-verdict.ts',
    find: '    await accounts.follow(after)\n',
    replace: '',
    caughtBy: [{ file: standing, test: 'nobody is told to pay in, and it is resumed' }],
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
    find: '  if (news.instructions && held.instructions) await keepDetails(tx, businessId, id)\n',
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
]
