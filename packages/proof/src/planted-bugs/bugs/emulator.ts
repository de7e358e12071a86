// The emulator of the provider: where it must follow the provider's document, or every other proof is worthless.

import type { PlantedBug } from '../planted-bug.ts'

const amounts = 'packages/sandbox/src/bridge/deposits/amounts.ts'
const moneyTest = 'packages/sandbox/test/deposit-amounts.test.ts'
const restartTest = 'packages/sandbox/test/restart.test.ts'
const companyTest = 'packages/sandbox/test/business.test.ts'

export const emulatorBugs: readonly PlantedBug[] = [
  {
    name: 'receipt-in-the-coin',
    promise: 'a receipt is in the fiat that was paid in',
    file: amounts,
    find: 'initial_amount: formatDecimal(initial),',
    replace: 'initial_amount: formatDecimal(multiply(initial, rate)),',
    caughtBy: [{ file: moneyTest, test: 'hold to the last digit in every currency' }],
  },
  {
    name: 'rate-on-every-receipt',
    promise: 'the exchange rate stands on receipts of SEPA alone',
    file: amounts,
    find: '...(isSepa ? { exchange_rate: formatDecimal(rate) } : {}),',
    replace: 'exchange_rate: formatDecimal(rate),',
    caughtBy: [{ file: moneyTest, test: 'the rate stands on receipts of SEPA' }],
  },
  {
    name: 'company-of-sixteen-fields',
    promise: 'a company is created with the fields that the document requires, and not with fewer',
    file: 'packages/sandbox/src/bridge/customers/form/customer-form.ts',
    find: "  'has_material_intermediary_ownership',\n",
    replace: '',
    caughtBy: [{ file: companyTest, test: 'seventeen fields' }],
  },
  {
    name: 'company-changed-by-any-field',
    promise: 'a company is changed in part by the fields that the document names',
    file: 'packages/sandbox/src/bridge/customers/form/customer-form.ts',
    find: 'partialFields.includes(name) ? rule : notSupported',
    replace: 'rule',
    caughtBy: [{ file: companyTest, test: 'without its type it is changed in part' }],
  },
  {
    name: 'last-signer-removed',
    promise: 'at least one signer of a company stays',
    file: 'packages/sandbox/src/bridge/customers/persons.ts',
    find: "if (losesSigner(customer, persons)) throw refuse(400, 'bad_customer_request', 'At least one signer must stay')",
    replace: '',
    caughtBy: [{ file: companyTest, test: 'keeps at least one signer' }],
  },
  {
    name: 'switch-outlives-reset',
    promise: 'a reset puts the behaviour of the emulator back',
    file: 'packages/sandbox/src/app/control.ts',
    find: 'emulation.behaviour.reset()\n',
    replace: '\n',
    caughtBy: [{ file: 'packages/sandbox/test/behaviour.test.ts', test: 'put back by a reset' }],
  },
  {
    name: 'reset-leaves-removed-rows',
    promise: 'a reset leaves nothing in the files of the state of what it removed',
    file: 'packages/sandbox/src/state/database.ts',
    find: 'PRAGMA secure_delete = on;',
    replace: '',
    caughtBy: [{ file: restartTest, test: 'a reset leaves nothing in the files' }],
  },
  {
    name: 'state-shared-by-two-sandboxes',
    promise: 'two emulators never write to one state',
    file: 'packages/sandbox/src/state/database.ts',
    find: 'PRAGMA locking_mode = exclusive;',
    replace: '',
    caughtBy: [{ file: restartTest, test: 'a second sandbox on the same state is refused' }],
  },
]
