// Deposits: what came in, how far it got, and what went out; and how to pay in.

import { Type } from 'typebox'
import { type App, businessOf, depsOf } from '../platform/http/app.ts'
import { filterOf, pageRequestOf, sendPage, timeRange } from '../platform/http/schema/paging.ts'
import { anyId, closed, dataOf, externalUserId, listQuery, pageOf, responses } from '../platform/http/schema/schema.ts'
import { deposit, depositInstructions, status } from './schema.ts'
import { getDeposit, getDepositInstructions, listDeposits } from './service.ts'

const read = { auth: 'business', scope: 'virtual_accounts:read' } as const
const byId = closed({ id: anyId })
const filters = { status: Type.Optional(status), ...timeRange }

export function depositRoutes(app: App): void {
  app.get(
    '/v0/virtual-accounts/:id/deposit-instructions',
    {
      config: read,
      schema: {
        operationId: 'getDepositInstructions',
        summary: 'Read how to pay into a virtual account',
        description: 'One entry for each bank rail, with what a payer writes down for it.',
        tags: ['Virtual accounts'],
        params: byId,
        response: responses(dataOf(depositInstructions), 'virtual_account_not_found'),
      },
    },
    async (request) => ({
      data: await getDepositInstructions(depsOf(request), businessOf(request), request.params.id),
    }),
  )

  app.get(
    '/v0/deposits',
    {
      config: read,
      schema: {
        operationId: 'listDeposits',
        summary: 'List deposits, newest first',
        tags: ['Deposits'],
        querystring: listQuery({
          externalUserId: Type.Optional(externalUserId),
          providerDepositId: Type.Optional(anyId),
          ...filters,
        }),
        response: responses(pageOf(deposit)),
      },
    },
    async (request, reply) => {
      const { query } = request
      const page = await listDeposits(depsOf(request), businessOf(request), filterOf(query), pageRequestOf(query))
      return sendPage(reply, page)
    },
  )

  app.get(
    '/v0/deposits/:id',
    {
      config: read,
      schema: {
        operationId: 'getDeposit',
        summary: 'Read a deposit',
        description:
          'Each amount stands beside its currency. An amount that the provider has not told in that currency is null, and so are fees that contradict what was paid in.',
        tags: ['Deposits'],
        params: byId,
        response: responses(dataOf(deposit), 'deposit_not_found'),
      },
    },
    async (request) => ({ data: await getDeposit(depsOf(request), businessOf(request), request.params.id) }),
  )

  app.get(
    '/v0/virtual-accounts/:id/deposits',
    {
      config: read,
      schema: {
        operationId: 'listDepositsOfVirtualAccount',
        summary: 'List the deposits of a virtual account, newest first',
        tags: ['Deposits'],
        params: byId,
        querystring: listQuery(filters),
        response: responses(pageOf(deposit), 'virtual_account_not_found'),
      },
    },
    async (request, reply) => {
      const { query, params } = request
      const filter = { ...filterOf(query), virtualAccountId: params.id }
      const page = await listDeposits(depsOf(request), businessOf(request), filter, pageRequestOf(query))
      return sendPage(reply, page)
    },
  )
}
