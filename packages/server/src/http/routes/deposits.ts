// Deposits: what came in, how far it got, and what went out.

import { depositView, getDeposit, listDeposits, listDepositsOfAccount } from '../../services/deposits.ts'
import type { App } from '../app.ts'
import { businessOf, depsOf } from '../guards.ts'
import { pageRequestOf, sendPage } from '../paging.ts'
import {
  anyId,
  closed,
  dataOf,
  externalUserId,
  idOf,
  isoTime,
  listQuery,
  nullable,
  oneOf,
  pageOf,
  responses,
} from '../schema.ts'
import { timeRange, timeRangeOf } from '../time-range.ts'
import { Type } from '../type.ts'

const status = oneOf([
  'scheduled',
  'received',
  'in_review',
  'payout_submitted',
  'completed',
  'refund_pending',
  'refunded',
  'failed',
  'microdeposit',
])
const amountOf = (description: string) => nullable(Type.String({ description, examples: ['100.00'] }))
const words = nullable(Type.String())

export const deposit = Type.Object(
  {
    id: idOf('deposit'),
    virtualAccountId: idOf('virtualAccount'),
    externalUserId: Type.String(),
    providerDepositId: Type.String({ description: 'The provider’s id of it, for its support.' }),
    status,
    grossAmount: amountOf('What the payer sent, in `sourceCurrency`.'),
    sourceCurrency: words,
    convertedAmount: amountOf(
      'The same in `destinationCurrency`, once the payout is confirmed. Less `developerFee`, `exchangeFee` and `gasFee` it is `netAmount`.',
    ),
    exchangeRate: nullable(
      Type.String({
        description: 'How much of `destinationCurrency` one of `sourceCurrency` was worth.',
        examples: ['1.085'],
      }),
    ),
    developerFee: amountOf('Your fee. All fees are in `destinationCurrency` once the payout is confirmed.'),
    exchangeFee: amountOf('The provider’s fee for the exchange.'),
    gasFee: amountOf('What the transfer on the blockchain costs.'),
    netAmount: amountOf('What was sent to the wallet.'),
    destinationCurrency: words,
    paymentRail: words,
    senderName: words,
    references: Type.Object({ traceNumber: words, imad: words, uetr: words, trackingNumber: words, endToEndId: words }),
    destinationTxHash: words,
    destinationTxFinal: Type.Boolean({ description: 'False while the provider may still replace the transaction.' }),
    refund: nullable(Type.Object({ code: words, reason: words, refundedAt: words })),
    timeline: Type.Array(Type.Object({ activityId: Type.String(), type: Type.String(), status, occurredAt: isoTime })),
    createdAt: isoTime,
    updatedAt: isoTime,
  },
  { title: 'Deposit' },
)

const read = { auth: 'business', scope: 'virtual_accounts:read' } as const
const filters = { status: Type.Optional(status), ...timeRange }

export function depositRoutes(app: App): void {
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
      const { externalUserId: user, providerDepositId, status: state } = request.query
      const filter = {
        ...(user ? { externalUserId: user } : {}),
        ...(providerDepositId ? { providerDepositId } : {}),
        ...(state ? { status: state } : {}),
        ...timeRangeOf(request.query),
      }
      const page = await listDeposits(depsOf(request), businessOf(request), filter, pageRequestOf(request.query))
      return sendPage(reply, { ...page, items: page.items.map(depositView) })
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
          'Amounts are decimal strings as the provider writes them: compare them by value, “1000.1” is “1000.10”.',
        tags: ['Deposits'],
        params: closed({ id: anyId }),
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
        params: closed({ id: anyId }),
        querystring: listQuery(filters),
        response: responses(pageOf(deposit), 'virtual_account_not_found'),
      },
    },
    async (request, reply) => {
      const filter = {
        ...(request.query.status ? { status: request.query.status } : {}),
        ...timeRangeOf(request.query),
      }
      const page = await listDepositsOfAccount(
        depsOf(request),
        businessOf(request),
        request.params.id,
        filter,
        pageRequestOf(request.query),
      )
      return sendPage(reply, { ...page, items: page.items.map(depositView) })
    },
  )
}
