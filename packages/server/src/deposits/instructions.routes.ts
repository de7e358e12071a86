// How to pay into a virtual account: one entry for each bank rail, ready to be shown to the payer.

import { Type } from 'typebox'
import { type App, businessOf, depsOf } from '../platform/http/app.ts'
import { anyId, closed, dataOf, idOf, oneOf, responses } from '../platform/http/schema/schema.ts'
import { detailNames } from './instructions.rules.ts'
import { getDepositInstructions } from './instructions.ts'

const railInstructions = Type.Object(
  {
    rail: Type.String({ description: 'ach_push, wire, fednow, sepa, spei, pix, faster_payments, bre_b.' }),
    railName: Type.String({ description: 'As payers know it.', examples: ['ACH'] }),
    details: Type.Array(Type.Object({ name: oneOf(detailNames), label: Type.String(), value: Type.String() }), {
      description: 'What the payer’s bank asks for, in order; show each label with its value.',
    }),
  },
  { title: 'RailInstructions' },
)

const depositInstructions = Type.Object(
  {
    virtualAccountId: idOf('virtualAccount'),
    status: oneOf(['pending', 'active', 'deactivated', 'failed']),
    sourceCurrency: Type.String(),
    minimumAmount: Type.String({ description: 'Less than this is not converted; a decimal string.' }),
    instructions: Type.Array(railInstructions, { description: 'Empty unless the account is `active`.' }),
  },
  { title: 'DepositInstructions' },
)

export function depositInstructionsRoutes(app: App): void {
  app.get(
    '/v0/virtual-accounts/:id/deposit-instructions',
    {
      config: { auth: 'business', scope: 'virtual_accounts:read' },
      schema: {
        operationId: 'getDepositInstructions',
        summary: 'Read how to pay into a virtual account',
        description: 'One entry for each bank rail, with what a payer writes down for it.',
        tags: ['Virtual accounts'],
        params: closed({ id: anyId }),
        response: responses(dataOf(depositInstructions), 'virtual_account_not_found'),
      },
    },
    async (request) => ({
      data: await getDepositInstructions(depsOf(request), businessOf(request), request.params.id),
    }),
  )
}
