// Virtual accounts: create, read, list, change, stop and take up again.

import { Type } from 'typebox'
import { type App, businessOf, depsOf } from '../platform/http/app.ts'
import { pageRequestOf, sendPage, timeRange, timeRangeOf } from '../platform/http/schema/paging.ts'
import {
  anyId,
  closed,
  dataOf,
  externalUserId,
  idOf,
  listQuery,
  oneOf,
  pageOf,
  responses,
} from '../platform/http/schema/schema.ts'
import type { JsonObject } from '../platform/values/json.ts'
import { switchVirtualAccount, updateVirtualAccount } from './change.ts'
import { requestVirtualAccount } from './requests.ts'
import { getVirtualAccount, listVirtualAccounts } from './service.ts'
import { virtualAccountView } from './view.ts'

const status = oneOf(['pending', 'active', 'deactivated', 'failed'])

export const virtualAccount = Type.Object(
  {
    id: idOf('virtualAccount'),
    bankName: Type.String({ description: 'Where the payer sends the money.' }),
    bankAccountNumber: Type.String({ description: 'Account number (USD), IBAN (EUR), CLABE (MXN).' }),
    bankRoutingNumber: Type.String({ description: 'Routing number (USD), BIC (EUR), empty (MXN).' }),
    beneficiaryName: Type.String({ description: 'Whom the payer names as the receiver.' }),
    beneficiaryAddress: Type.String(),
    destinationAddress: Type.String({ description: 'The wallet that gets the converted money.' }),
    destinationPaymentRail: Type.String({ description: 'The blockchain, as given at creation.' }),
    destinationCurrency: Type.String({ description: 'The token, as given at creation.' }),
    externalUserId: Type.String({ description: 'Whose account it is.' }),
    status,
    sourceCurrency: Type.String({ description: 'What is paid in.' }),
    developerFeePercent: Type.String({ description: 'Your fee in percent, a decimal string.' }),
    destinationBlockchainMemo: Type.Optional(Type.String()),
    pendingDestinationAddress: Type.Optional(
      Type.String({ description: 'A new destination that waits for its time, with its rail and currency.' }),
    ),
    pendingDestinationPaymentRail: Type.Optional(Type.String()),
    pendingDestinationCurrency: Type.Optional(Type.String()),
    pendingDestinationFrom: Type.Optional(Type.String({ description: 'From when on it counts; ISO 8601.' })),
    failureCode: Type.Optional(
      Type.String({
        description:
          'Why the account failed: the provider’s own word, or `currency_mismatch`, `destination_mismatch`, `bank_details_missing` when the provider opened another account than was asked for.',
      }),
    ),
    createdAt: Type.String(),
    updatedAt: Type.String(),
  },
  {
    title: 'VirtualAccount',
    description: 'All members are strings; bank details are empty while the account is pending.',
  },
)

const name = (example: string) => Type.String({ minLength: 1, maxLength: 64, examples: [example] })

/** The provider's own shape, which grows: passed on as it is. */
const travelRuleData = Type.Unsafe<JsonObject>({
  type: 'object',
  description:
    'What the travel rule wants told of the wallet, passed on to the provider as it is and not kept: `{"beneficiary": {"is_self", "wallet_type", "wallet_attested_ownership_at"}}`. At most 4 KiB.',
  examples: [{ beneficiary: { is_self: true, wallet_type: 'self_custodied' } }],
})

const destination = closed({
  payment_rail: name('solana'),
  currency: name('usdc'),
  address: Type.String({ minLength: 1, maxLength: 256, errorCode: 'invalid_destination_address' }),
  blockchain_memo: Type.Optional(Type.String({ maxLength: 256 })),
  travel_rule_data: Type.Optional(travelRuleData),
})

const fee = Type.String({
  errorCode: 'invalid_developer_fee_percent',
  errorText: 'must be a decimal string such as "0.5", not a number',
  description: 'Fee in percent, a decimal string from "0" up to, not including, "100"; at most four decimals.',
  examples: ['0.5'],
})

const accountParams = closed({ id: anyId })
const write = { auth: 'business', scope: 'virtual_accounts:write' } as const
const read = { auth: 'business', scope: 'virtual_accounts:read' } as const
const routeErrors = [
  'unsupported_currency',
  'unsupported_payment_rail',
  'invalid_destination_address',
  'invalid_developer_fee_percent',
] as const
const upstream = ['provider_rejected', 'provider_unavailable', 'provider_timeout'] as const
const changeErrors = ['virtual_account_not_found', 'account_change_in_progress', 'account_state_conflict'] as const

export function virtualAccountRoutes(app: App): void {
  app.post(
    '/v0/virtual-accounts',
    {
      config: write,
      schema: {
        operationId: 'createVirtualAccount',
        summary: 'Create a virtual account',
        description:
          'Bank details whose deposits are converted and sent to `destination`. Needs an approved end-user, or `onPendingKyc: "wait"`. Read `status`: an account that the provider opened other than was asked for is `failed` and has no bank details.',
        tags: ['Virtual accounts'],
        body: closed({
          externalUserId,
          source: closed({ currency: name('usd') }),
          destination,
          developer_fee_percent: Type.Optional(fee),
          onPendingKyc: Type.Optional(
            oneOf(['reject', 'wait'], {
              description:
                'What to do while the end-user is not approved for the currency: `reject` (the default) refuses, `wait` keeps the account `pending` and opens it by itself after the approval.',
            }),
          ),
        }),
        response: responses(
          dataOf(virtualAccount),
          ...routeErrors,
          'holder_not_found',
          'account_change_in_progress',
          'kyc_not_approved',
          'rail_not_enabled',
          'tos_not_accepted',
          ...upstream,
        ),
      },
    },
    async (request) => ({
      data: await requestVirtualAccount(
        depsOf(request),
        businessOf(request),
        request.body,
        request.idempotencyKey?.key ?? null,
      ),
    }),
  )

  app.get(
    '/v0/virtual-accounts',
    {
      config: read,
      schema: {
        operationId: 'listVirtualAccounts',
        summary: 'List virtual accounts, newest first',
        tags: ['Virtual accounts'],
        querystring: listQuery({
          externalUserId: Type.Optional(externalUserId),
          status: Type.Optional(status),
          ...timeRange,
        }),
        response: responses(pageOf(virtualAccount)),
      },
    },
    async (request, reply) => {
      const { externalUserId: user, status: state } = request.query
      const filter = {
        ...(user ? { externalUserId: user } : {}),
        ...(state ? { status: state } : {}),
        ...timeRangeOf(request.query),
      }
      const page = await listVirtualAccounts(depsOf(request), businessOf(request), filter, pageRequestOf(request.query))
      return sendPage(reply, { ...page, items: page.items.map(virtualAccountView) })
    },
  )

  app.get(
    '/v0/virtual-accounts/:id',
    {
      config: read,
      schema: {
        operationId: 'getVirtualAccount',
        summary: 'Read a virtual account',
        tags: ['Virtual accounts'],
        params: accountParams,
        response: responses(dataOf(virtualAccount), 'virtual_account_not_found'),
      },
    },
    async (request) => ({ data: await getVirtualAccount(depsOf(request), businessOf(request), request.params.id) }),
  )

  app.patch(
    '/v0/virtual-accounts/:id',
    {
      config: write,
      schema: {
        operationId: 'updateVirtualAccount',
        summary: 'Change where deposits go, or the fee',
        description:
          'The whole `destination` is given. It counts at once, or after the time that `GET /v0/capabilities` names.',
        tags: ['Virtual accounts'],
        params: accountParams,
        body: closed(
          { destination: Type.Optional(destination), developer_fee_percent: Type.Optional(fee) },
          { minProperties: 1 },
        ),
        response: responses(dataOf(virtualAccount), ...routeErrors, ...changeErrors, ...upstream),
      },
    },
    async (request) => ({
      data: await updateVirtualAccount(depsOf(request), businessOf(request), request.params.id, request.body),
    }),
  )

  for (const [verb, to] of [
    ['deactivate', 'deactivated'],
    ['reactivate', 'active'],
  ] as const) {
    app.post(
      `/v0/virtual-accounts/:id/${verb}`,
      {
        config: write,
        schema: {
          operationId: `${verb}VirtualAccount`,
          summary: verb === 'deactivate' ? 'Stop taking deposits' : 'Take deposits again',
          description: 'A repeat changes nothing and answers the same.',
          tags: ['Virtual accounts'],
          params: accountParams,
          response: responses(dataOf(virtualAccount), ...changeErrors, ...upstream),
        },
      },
      async (request) => ({
        data: await switchVirtualAccount(depsOf(request), businessOf(request), request.params.id, to),
      }),
    )
  }
}
