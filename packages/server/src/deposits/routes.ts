// Deposits: what came in, how far it got, and what went out.

import { Type } from 'typebox'
import { type App, businessOf, depsOf } from '../platform/http/app.ts'
import { pageRequestOf, sendPage, timeRange, timeRangeOf } from '../platform/http/schema/paging.ts'
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
} from '../platform/http/schema/schema.ts'
import { depositView, getDeposit, listDeposits, listDepositsOfAccount } from './service.ts'

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
/** At least two decimals and no zeros behind them, so that equal amounts are equal texts. */
const amountValue = Type.String({ pattern: '^[0-9]+\\.([0-9]{2}|[0-9]{2,17}[1-9])$', examples: ['20000.00'] })
const amountOf = (description: string) =>
  nullable(Type.Object({ value: amountValue, currency: Type.String({ examples: ['mxn'] }) }, { description }))
const words = nullable(Type.String())

export const deposit = Type.Object(
  {
    id: idOf('deposit'),
    virtualAccountId: idOf('virtualAccount'),
    externalUserId: Type.String(),
    providerDepositId: Type.String({ description: 'The provider’s id of it, for its support.' }),
    status,
    sourceCurrency: Type.String({ description: 'What the account takes in.', examples: ['mxn'] }),
    destinationCurrency: Type.String({ description: 'The coin that goes to the wallet.', examples: ['usdc'] }),
    grossAmount: amountOf('What the payer sent, in `sourceCurrency`, as are the fees and the subtotal.'),
    developerFee: amountOf('Your fee.'),
    exchangeFee: amountOf('The provider’s fee.'),
    subtotalAmount: amountOf('What is exchanged: `grossAmount` less both fees, exactly.'),
    exchangeRate: nullable(
      Type.String({
        description:
          'How much of `destinationCurrency` one of `sourceCurrency` was worth: `subtotalAmount` × `exchangeRate` − `gasFee` is `netAmount`.',
        examples: ['0.05415617128'],
      }),
    ),
    exchangeRateSource: nullable(
      oneOf(['provider', 'derived'], {
        description:
          '`provider`: told by the provider, and right to the last digit of the coin. `derived`: (`netAmount` + `gasFee`) ÷ `subtotalAmount`, to ten significant digits, because the provider told no rate, or one that its own amounts contradict.',
      }),
    ),
    gasFee: amountOf('What the transfer on the blockchain cost, in `destinationCurrency`.'),
    netAmount: amountOf('What was sent to the wallet, in `destinationCurrency`.'),
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
          'Each amount stands beside its currency. An amount that the provider has not told in that currency is null, and so are fees that contradict what was paid in.',
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
