// The API representation of a virtual account, and parts of requests about one.

import { Type } from 'typebox'
import { closed, idOf, metadata, named, oneOf } from '../platform/http/schema/schema.ts'
import type { JsonObject } from '../platform/values/json.ts'
import { fiatCurrencies } from '../platform/values/rails.ts'
import { accountParts, suspendedReasons } from './standing/standing.rules.ts'

export const status = oneOf('VirtualAccountStatus', ['pending', 'active', 'suspended', 'deactivated', 'failed'])

export const suspendedReason = oneOf('SuspendedReason', suspendedReasons, {
  description:
    'Why a `suspended` account does not accept deposits. If several reasons apply, the first in this order is shown. `end_user_paused`, `end_user_offboarded`, `end_user_rejected`: the `kycStatus` of the end-user. `deposits_restricted`: the provider does not accept deposits for the end-user. `rail_inactive`: the rail of `sourceCurrency` is not `active`.',
})

/** The deposit currency, as a filter of lists. */
export const sourceCurrencyFilter = oneOf('SourceCurrency', fiatCurrencies, {
  description: 'The currency of deposits.',
})

const shownDestination = named(
  { title: 'Destination', description: 'The payout destination of converted deposits, in the format of the request.' },
  {
    payment_rail: Type.String({ description: 'The blockchain.', examples: ['solana'] }),
    currency: Type.String({ description: 'The token.', examples: ['usdc'] }),
    address: Type.Optional(Type.String({ description: 'The wallet address.' })),
    bridge_wallet_id: Type.Optional(
      Type.String({ description: 'A wallet that the provider hosts, instead of an address.' }),
    ),
    prefunded_account_id: Type.Optional(Type.String({ description: 'A prefunded account, instead of an address.' })),
    blockchain_memo: Type.Optional(Type.String()),
  },
)

/** The provider's own shapes, which grow: passed on unchanged. */
const passedOn = (description: string, example: JsonObject) =>
  Type.Unsafe<JsonObject>({ type: 'object', additionalProperties: true, description, examples: [example] })

export const virtualAccount = named(
  {
    title: 'VirtualAccount',
    description: 'Bank details are empty strings while the account is pending.',
  },
  {
    id: idOf('virtualAccount'),
    bankName: Type.String({ description: 'The name of the bank that receives the deposit.' }),
    bankAccountNumber: Type.String({
      description: 'Account number (USD, GBP), IBAN (EUR), CLABE (MXN), Pix code (BRL) or Bre-B key (COP).',
    }),
    bankRoutingNumber: Type.String({
      description: 'Routing number (USD), BIC (EUR) or sort code (GBP). Empty for other currencies.',
    }),
    beneficiaryName: Type.String({ description: 'The name of the recipient that the payer enters.' }),
    beneficiaryAddress: Type.String(),
    destinationAddress: Type.String({
      description:
        'The wallet that receives the converted funds. For a destination by ID: the address that the provider returns, empty until then.',
    }),
    destinationPaymentRail: Type.String({ description: 'The blockchain, as given at creation.' }),
    destinationCurrency: Type.String({ description: 'The token, as given at creation.' }),
    externalUserId: Type.String({ description: 'The end-user who owns the account.' }),
    status,
    suspendedReason: Type.Optional(suspendedReason),
    sourceCurrency: Type.String({ description: 'The currency of deposits.' }),
    developerFeePercent: Type.String({ description: 'Your fee in percent, a decimal string.' }),
    feeConfig: Type.Optional(
      passedOn('Your fees by bank rail, as the provider reports them; `developerFeePercent` can be 0 in this case.', {
        source: { default: { fee_percent: '0.8', minimum_fee: '0.50' } },
      }),
    ),
    metadata,
    destination: shownDestination,
    pendingDestination: Type.Optional(shownDestination),
    pendingDestinationFrom: Type.Optional(
      Type.String({ description: 'When `pendingDestination` replaces `destination`; ISO 8601.' }),
    ),
    failureCode: Type.Optional(
      Type.String({
        description:
          'Why the account failed: the provider’s own code, or `rejected` or `not_found` if the provider sent none. `customer_mismatch`, `currency_mismatch`, `destination_mismatch`, `fee_mismatch`, `bank_details_missing`, `bank_details_invalid`: the account that the provider opened differs from the request. `not_activated`, `never_seen`, `provider_response_unreadable`: the outcome was unknown for 24 hours. `coin_not_available_in_region`: the coin of an account that waited for KYC is not available to the end-user.',
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
      'What changed. `bankDetails`: payers need the new details, which `GET /v0/virtual-accounts/:id/deposit-instructions` returns together with the former ones.',
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
        description: 'A wallet address. Send exactly one of `address`, `bridge_wallet_id`, `prefunded_account_id`.',
      }),
    ),
    bridge_wallet_id: Type.Optional(id('A wallet that the provider hosts, on the chain `payment_rail`.')),
    prefunded_account_id: Type.Optional(
      id(
        'A prefunded account: `payment_rail` is `prefunded`, `currency` is `usd`. At creation only. The provider has deprecated prefunded accounts.',
      ),
    ),
    blockchain_memo: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
    travel_rule_data: Type.Optional(
      passedOn(
        'What the travel rule requires about the wallet, at creation only. Passed on to the provider unchanged and not stored: `{"beneficiary": {"is_self", "wallet_type", "wallet_attested_ownership_at"}}`. Send it for every account that accepts EUR, or pays out EURC, to an `address`. At most 4 KiB.',
        { beneficiary: { is_self: true, wallet_type: 'self_custodied' } },
      ),
    ),
  },
  { title: 'NewDestination' },
)

export const feeConfig = passedOn(
  'Fees by bank rail, for businesses whose provider account has this feature; replaces `developer_fee_percent`. Passed on to the provider unchanged. At most 4 KiB and three levels. If the operator caps fees, each `fee_percent` must not exceed the cap, and `fee_amount` and `minimum_fee` are rejected.',
  { source: { default: { fee_percent: '0.8', minimum_fee: '0.50' }, wire: { fee_amount: '7.00' } } },
)

export const fee = Type.String({
  minLength: 1,
  errorCode: 'invalid_developer_fee_percent',
  errorText: 'must be a decimal string such as "0.5"',
  description: 'Your fee in percent: a decimal string from "0" to less than "100", with at most four decimals.',
  examples: ['0.5'],
})
