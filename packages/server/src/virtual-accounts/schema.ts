// What the API shows of a virtual account, and the parts of a request about one.

import { Type } from 'typebox'
import { closed, idOf, metadata, named, oneOf } from '../platform/http/schema/schema.ts'
import type { JsonObject } from '../platform/values/json.ts'
import { fiatCurrencies } from '../platform/values/rails.ts'
import { accountParts, suspendedReasons } from './standing/standing.rules.ts'

export const status = oneOf('VirtualAccountStatus', ['pending', 'active', 'suspended', 'deactivated', 'failed'])

export const suspendedReason = oneOf('SuspendedReason', suspendedReasons, {
  description:
    'Why a `suspended` account takes no deposits. If several reasons hold, the first in this order is shown. `end_user_paused`, `end_user_offboarded`, `end_user_rejected`: the `kycStatus` of the end-user. `deposits_restricted`: the provider allows the end-user no deposits. `rail_inactive`: the rail of `sourceCurrency` is not `active`.',
})

/** What is paid in, as a filter of lists. */
export const sourceCurrencyFilter = oneOf('SourceCurrency', fiatCurrencies, { description: 'What is paid in.' })

const shownDestination = named(
  { title: 'Destination', description: 'Where converted money goes, in the shape in which it is sent.' },
  {
    payment_rail: Type.String({ description: 'The blockchain.', examples: ['solana'] }),
    currency: Type.String({ description: 'The token.', examples: ['usdc'] }),
    address: Type.Optional(Type.String({ description: 'The wallet.' })),
    bridge_wallet_id: Type.Optional(
      Type.String({ description: 'A wallet that the provider keeps, instead of an address.' }),
    ),
    prefunded_account_id: Type.Optional(Type.String({ description: 'A prefunded account, instead of an address.' })),
    blockchain_memo: Type.Optional(Type.String()),
  },
)

/** The provider's own shapes, which grow: passed on as they are. */
const passedOn = (description: string, example: JsonObject) =>
  Type.Unsafe<JsonObject>({ type: 'object', additionalProperties: true, description, examples: [example] })

export const virtualAccount = named(
  {
    title: 'VirtualAccount',
    description: 'Bank details are empty strings while the account is pending.',
  },
  {
    id: idOf('virtualAccount'),
    bankName: Type.String({ description: 'Where the payer sends the money.' }),
    bankAccountNumber: Type.String({ description: 'Account number (USD), IBAN (EUR), CLABE (MXN).' }),
    bankRoutingNumber: Type.String({ description: 'Routing number (USD), BIC (EUR), empty (MXN).' }),
    beneficiaryName: Type.String({ description: 'Whom the payer names as the receiver.' }),
    beneficiaryAddress: Type.String(),
    destinationAddress: Type.String({
      description:
        'The wallet that gets the converted money. With a destination by id: the address that the provider shows for it, empty until it shows one.',
    }),
    destinationPaymentRail: Type.String({ description: 'The blockchain, as given at creation.' }),
    destinationCurrency: Type.String({ description: 'The token, as given at creation.' }),
    externalUserId: Type.String({ description: 'Whose account it is.' }),
    status,
    suspendedReason: Type.Optional(suspendedReason),
    sourceCurrency: Type.String({ description: 'What is paid in.' }),
    developerFeePercent: Type.String({ description: 'Your fee in percent, a decimal string.' }),
    feeConfig: Type.Optional(
      passedOn('Your fees by bank rail, as the provider shows them; then `developerFeePercent` may read 0.', {
        source: { default: { fee_percent: '0.8', minimum_fee: '0.50' } },
      }),
    ),
    metadata,
    destination: shownDestination,
    pendingDestination: Type.Optional(shownDestination),
    pendingDestinationFrom: Type.Optional(
      Type.String({ description: 'From when on `pendingDestination` takes the place of `destination`; ISO 8601.' }),
    ),
    failureCode: Type.Optional(
      Type.String({
        description:
          'Why the account failed: the provider’s own code (`rejected` or `not_found` if it gave none), or `customer_mismatch`, `currency_mismatch`, `destination_mismatch`, `fee_mismatch`, `bank_details_missing`, `bank_details_invalid` when the account that the provider opened is not the one that was asked for; `not_activated`, `never_seen` or `provider_response_unreadable` when its outcome was not known for 24 hours; `coin_not_available_in_region` when the coin of an account that waited for KYC is not available to the end-user.',
      }),
    ),
    createdAt: Type.String(),
    updatedAt: Type.String(),
  },
)

export const updatedVirtualAccount = named('UpdatedVirtualAccount', {
  ...virtualAccount.properties,
  changed: Type.Array(oneOf('VirtualAccountPart', accountParts), {
    description:
      'What has changed. `bankDetails`: payers need the new ones, which `GET /v0/virtual-accounts/:id/deposit-instructions` shows beside the former.',
  }),
})

export const name = (example: string) => Type.String({ minLength: 1, maxLength: 64, examples: [example] })

const id = (description: string) =>
  Type.String({ minLength: 1, maxLength: 64, pattern: '^[A-Za-z0-9_-]+$', description })

export const destination = closed(
  {
    payment_rail: name('solana'),
    currency: name('usdc'),
    address: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 256,
        errorCode: 'invalid_destination_address',
        description: 'A wallet. Exactly one of `address`, `bridge_wallet_id`, `prefunded_account_id` is given.',
      }),
    ),
    bridge_wallet_id: Type.Optional(id('A wallet that the provider keeps, on the chain `payment_rail`.')),
    prefunded_account_id: Type.Optional(
      id(
        'A prefunded account: `payment_rail` is `prefunded`, `currency` is `usd`. At creation only. The provider has deprecated prefunded accounts.',
      ),
    ),
    blockchain_memo: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
    travel_rule_data: Type.Optional(
      passedOn(
        'What the travel rule requires about the wallet, at creation only; passed on to the provider as it is and not kept: `{"beneficiary": {"is_self", "wallet_type", "wallet_attested_ownership_at"}}`. Send it for every account that is paid in EUR, or pays out EURC, to an `address`. At most 4 KiB.',
        { beneficiary: { is_self: true, wallet_type: 'self_custodied' } },
      ),
    ),
  },
  { title: 'NewDestination' },
)

export const feeConfig = passedOn(
  'Fees by bank rail, for customers of the provider who have this feature; instead of `developer_fee_percent`. Passed on to the provider as it is. At most 4 KiB, three levels. Where the operator caps fees, each `fee_percent` must not exceed the cap, and `fee_amount` and `minimum_fee` are refused.',
  { source: { default: { fee_percent: '0.8', minimum_fee: '0.50' }, wire: { fee_amount: '7.00' } } },
)

export const fee = Type.String({
  minLength: 1,
  errorCode: 'invalid_developer_fee_percent',
  errorText: 'must be a decimal string such as "0.5"',
  description: 'Fee in percent, a decimal string from "0" up to, not including, "100"; at most four decimals.',
  examples: ['0.5'],
})
