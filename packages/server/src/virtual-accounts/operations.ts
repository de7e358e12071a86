// Virtual accounts: create, read, list, change, stop and take up again.

import { Type } from 'typebox'
import { operationsOf } from '../platform/http/operation.ts'
import { timeRange } from '../platform/http/schema/paging.ts'
import { closed, externalUserId, metadata, metadataFilter, oneOf } from '../platform/http/schema/schema.ts'
import { upstreamErrors } from '../platform/http/serve.ts'
import { switchVirtualAccount, updateVirtualAccount } from './change.ts'
import { createVirtualAccount } from './open.ts'
import type { OpensAccounts } from './ports.ts'
import { destination, fee, feeConfig, name, sourceCurrencyFilter, status, virtualAccount } from './schema.ts'
import { getVirtualAccount, listVirtualAccounts } from './service.ts'

const termErrors = [
  'missing_field',
  'invalid_value',
  'unsupported_currency',
  'unsupported_payment_rail',
  'invalid_destination_address',
  'invalid_developer_fee_percent',
] as const
const changeErrors = [
  'virtual_account_not_found',
  'account_change_in_progress',
  'account_state_conflict',
  ...upstreamErrors,
] as const
/** Changes after which an account takes deposits, or sends them elsewhere. */
const termChangeErrors = [...changeErrors, 'virtual_account_suspended'] as const

const exampleWallet = {
  payment_rail: 'solana',
  currency: 'usdc',
  address: '7VHUFJHWu2CuExkJcJrzhQPJ2oygupTWkL2A2For4BmE',
}

const { read, write, list } = operationsOf<OpensAccounts>('Virtual accounts', 'virtual_accounts')

export const virtualAccountOperations = [
  write('POST /v0/virtual-accounts', {
    id: 'createVirtualAccount',
    summary: 'Create a virtual account',
    sdk: 'virtualAccounts.create(body)',
    example: {
      body: ({ externalUserId }) => ({
        externalUserId,
        source: { currency: 'usd' },
        destination: exampleWallet,
        developer_fee_percent: '0.5',
      }),
    },
    audit: { none: 'ordinary business; the account keeps its first destination and time, and its event tells them' },
    assistant: 'may',
    description:
      'Returns bank details. Deposits are converted and sent to `destination`. Requires an approved end-user, or `onPendingKyc: "wait"`. Check `status`: if the provider opened an account that differs from the request, the account is `failed` and has no bank details.',
    body: closed({
      externalUserId,
      source: closed({ currency: name('usd') }),
      destination,
      developer_fee_percent: Type.Optional(fee),
      fee_config: Type.Optional(feeConfig),
      metadata: Type.Optional(metadata),
      onPendingKyc: Type.Optional(
        oneOf('OnPendingKyc', ['reject', 'wait'], {
          description:
            'What to do while the end-user is not approved for the currency. `reject` (the default) returns an error. `wait` keeps the account `pending` and opens it automatically after the approval.',
        }),
      ),
    }),
    data: virtualAccount,
    errors: [
      ...termErrors,
      'holder_not_found',
      'account_change_in_progress',
      'coin_not_available_in_region',
      'kyc_not_approved',
      'rail_not_enabled',
      'tos_not_accepted',
      ...upstreamErrors,
    ],
    run: ({ deps, scope, body }) => createVirtualAccount(deps, scope, body),
  }),

  list('GET /v0/virtual-accounts', {
    id: 'listVirtualAccounts',
    summary: 'List virtual accounts, newest first',
    sdk: 'virtualAccounts.list(query)',
    unindexed: [
      ['status', 'sourceCurrency'],
      ['metadata', 'status'],
    ],
    filters: {
      externalUserId,
      status,
      sourceCurrency: sourceCurrencyFilter,
      destinationChange: oneOf('DestinationChange', ['waiting'], {
        description: '`waiting`: only accounts with a `pendingDestination`, which is not in effect yet.',
      }),
      metadata: metadataFilter,
      ...timeRange,
    },
    items: virtualAccount,
    run: ({ deps, scope, filter, page }) => listVirtualAccounts(deps, scope.business, filter, page),
  }),

  read('GET /v0/virtual-accounts/:id', {
    id: 'getVirtualAccount',
    summary: 'Read a virtual account',
    sdk: 'virtualAccounts.get(at)',
    data: virtualAccount,
    errors: ['virtual_account_not_found'],
    run: ({ deps, scope, params }) => getVirtualAccount(deps, scope.business, params.id),
  }),

  write('PATCH /v0/virtual-accounts/:id', {
    id: 'updateVirtualAccount',
    summary: 'Update a virtual account',
    sdk: 'virtualAccounts.update(at, body)',
    example: { body: () => ({ developer_fee_percent: '1' }) },
    audit: [
      'virtual_account.destination.requested',
      'virtual_account.destination.cancelled',
      'virtual_account.destination.changed',
      'virtual_account.destination.refused',
      'virtual_account.destination.unconfirmed',
    ],
    sensitive: true,
    assistant: 'may',
    description:
      'Changes the payout destination, the fee or the metadata. Send the whole `destination`; `travel_rule_data` and `prefunded_account_id` are accepted at creation only. The new destination applies immediately, or after the delay in `GET /v0/capabilities`. `metadata` is replaced as a whole. You can change `metadata` alone in every status, because the provider does not store it.',
    body: closed(
      {
        destination: Type.Optional(destination),
        developer_fee_percent: Type.Optional(fee),
        fee_config: Type.Optional(feeConfig),
        metadata: Type.Optional(metadata),
      },
      { minProperties: 1 },
    ),
    data: virtualAccount,
    errors: [...termErrors, 'kyc_not_approved', 'coin_not_available_in_region', 'not_offered', ...termChangeErrors],
    run: ({ deps, scope, params, body }) => updateVirtualAccount(deps, scope, params.id, body),
  }),

  write('POST /v0/virtual-accounts/:id/deactivate', {
    id: 'deactivateVirtualAccount',
    summary: 'Deactivate a virtual account',
    sdk: 'virtualAccounts.deactivate(at)',
    audit: ['virtual_account.deactivated'],
    assistant: 'may',
    description:
      'The account stops accepting deposits. Repeating the request changes nothing and returns the same response.',
    data: virtualAccount,
    errors: changeErrors,
    run: ({ deps, scope, params }) => switchVirtualAccount(deps, scope, params.id, 'deactivated'),
  }),

  write('POST /v0/virtual-accounts/:id/reactivate', {
    id: 'reactivateVirtualAccount',
    summary: 'Reactivate a virtual account',
    sdk: 'virtualAccounts.reactivate(at)',
    audit: ['virtual_account.reactivated'],
    assistant: 'may',
    description:
      'The account accepts deposits again. Repeating the request changes nothing and returns the same response.',
    data: virtualAccount,
    errors: termChangeErrors,
    run: ({ deps, scope, params }) => switchVirtualAccount(deps, scope, params.id, 'active'),
  }),
]
