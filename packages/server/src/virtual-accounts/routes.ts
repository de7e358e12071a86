// Virtual accounts: create, read, list, change, stop and take up again.

import { Type } from 'typebox'
import type { App } from '../platform/http/app.ts'
import { businessRoutes, upstreamErrors } from '../platform/http/route.ts'
import { timeRange } from '../platform/http/schema/paging.ts'
import { closed, externalUserId, metadata, metadataFilter, oneOf } from '../platform/http/schema/schema.ts'
import { switchVirtualAccount, updateVirtualAccount } from './change.ts'
import { createVirtualAccount } from './open.ts'
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

export function virtualAccountRoutes(app: App): void {
  const { route, list } = businessRoutes(app, 'Virtual accounts', 'virtual_accounts')

  route('POST /v0/virtual-accounts', {
    id: 'createVirtualAccount',
    summary: 'Create a virtual account',
    description:
      'Bank details whose deposits are converted and sent to `destination`. Needs an approved end-user, or `onPendingKyc: "wait"`. Read `status`: an account that the provider opened other than was asked for is `failed` and has no bank details.',
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
            'What to do while the end-user is not approved for the currency: `reject` (the default) refuses, `wait` keeps the account `pending` and opens it by itself after the approval.',
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
    run: ({ deps, business, body }) => createVirtualAccount(deps, business, body),
  })

  list('GET /v0/virtual-accounts', {
    id: 'listVirtualAccounts',
    summary: 'List virtual accounts, newest first',
    filters: {
      externalUserId,
      status,
      sourceCurrency: sourceCurrencyFilter,
      destinationChange: oneOf('DestinationChange', ['waiting'], {
        description: '`waiting`: only accounts with a `pendingDestination`, which does not count yet.',
      }),
      metadata: metadataFilter,
      ...timeRange,
    },
    items: virtualAccount,
    run: ({ deps, business, filter, page }) => listVirtualAccounts(deps, business, filter, page),
  })

  route('GET /v0/virtual-accounts/:id', {
    id: 'getVirtualAccount',
    summary: 'Read a virtual account',
    data: virtualAccount,
    errors: ['virtual_account_not_found'],
    run: ({ deps, business, params }) => getVirtualAccount(deps, business, params.id),
  })

  route('PATCH /v0/virtual-accounts/:id', {
    id: 'updateVirtualAccount',
    summary: 'Change where deposits go, the fee, or the metadata',
    description:
      'The whole `destination` is given; `travel_rule_data` and `prefunded_account_id` are taken at creation only. The destination counts at once, or after the time that `GET /v0/capabilities` names. `metadata` is replaced as a whole. A change of `metadata` alone is possible in every state, because the provider does not have the metadata.',
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
    errors: [...termErrors, 'coin_not_available_in_region', ...termChangeErrors],
    run: ({ deps, business, params, body }) => updateVirtualAccount(deps, business, params.id, body),
  })

  for (const [verb, to, summary] of [
    ['deactivate', 'deactivated', 'Stop taking deposits'],
    ['reactivate', 'active', 'Take deposits again'],
  ] as const)
    route(`POST /v0/virtual-accounts/:id/${verb}`, {
      id: `${verb}VirtualAccount`,
      summary,
      description: 'A repeat changes nothing and answers the same.',
      data: virtualAccount,
      errors: verb === 'deactivate' ? changeErrors : termChangeErrors,
      run: ({ deps, business, params }) => switchVirtualAccount(deps, business, params.id, to),
    })
}
