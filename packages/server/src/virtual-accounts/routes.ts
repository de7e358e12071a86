// Virtual accounts: create, read, list, change, stop and take up again.

import { Type } from 'typebox'
import { type App, businessOf, depsOf } from '../platform/http/app.ts'
import { filterOf, pageRequestOf, sendPage, timeRange } from '../platform/http/schema/paging.ts'
import {
  anyId,
  closed,
  dataOf,
  externalUserId,
  listQuery,
  oneOf,
  pageOf,
  responses,
} from '../platform/http/schema/schema.ts'
import { switchVirtualAccount, updateVirtualAccount } from './change.ts'
import { createVirtualAccount } from './open.ts'
import { destination, fee, name, status, virtualAccount } from './schema.ts'
import { getVirtualAccount, listVirtualAccounts } from './service.ts'

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
      data: await createVirtualAccount(
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
      const { query } = request
      const page = await listVirtualAccounts(
        depsOf(request),
        businessOf(request),
        filterOf(query),
        pageRequestOf(query),
      )
      return sendPage(reply, page)
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
