// Levers of the emulated provider, for a business's own tests: make a deposit happen, decide a KYC case. Only with PROVIDER_KIND=sandbox.

import { Type } from 'typebox'
import type { Deps } from '../../services/deps.ts'
import { decideKyc, simulateDeposit } from '../../services/sandbox.ts'
import type { App } from '../app.ts'
import { businessOf } from '../guards.ts'
import { anyId, closed, dataOf, decimalText, externalUserId, lineOf, oneOf, responses } from '../schema.ts'

const outcome = oneOf(['completed', 'scheduled', 'in_review', 'refunded', 'refund_failed', 'microdeposit'])
const decision = oneOf(['approve', 'reject', 'review', 'request_document', 'pause', 'offboard'])
const upstream = ['provider_rejected', 'provider_unavailable', 'provider_timeout'] as const

export function sandboxRoutes(app: App, deps: Deps): void {
  if (deps.config.providerKind !== 'sandbox') return
  app.post(
    '/v0/sandbox/deposits',
    {
      config: { auth: 'business', scope: 'virtual_accounts:write' },
      schema: {
        operationId: 'simulateDeposit',
        summary: 'Make a deposit arrive at a virtual account',
        tags: ['Sandbox'],
        body: closed({
          virtualAccountId: anyId,
          amount: decimalText,
          paymentRail: Type.Optional(lineOf(64)),
          outcome: Type.Optional(outcome),
          senderName: Type.Optional(lineOf(140)),
        }),
        response: responses(
          dataOf(Type.Object({ providerDepositId: Type.String() }, { title: 'SimulatedDeposit' })),
          'virtual_account_not_found',
          'account_state_conflict',
          ...upstream,
        ),
      },
    },
    async (request) => ({ data: await simulateDeposit(deps, businessOf(request), request.body) }),
  )

  app.post(
    '/v0/sandbox/kyc-decisions',
    {
      config: { auth: 'business', scope: 'end_users:write' },
      schema: {
        operationId: 'decideKyc',
        summary: 'Decide a KYC case as the provider would',
        tags: ['Sandbox'],
        body: closed({ externalUserId, decision }),
        response: responses(
          dataOf(Type.Object({ decided: Type.Boolean() }, { title: 'KycDecision' })),
          'holder_not_found',
          'kyc_not_resubmittable',
          ...upstream,
        ),
      },
    },
    async (request) => ({ data: await decideKyc(deps, businessOf(request), request.body) }),
  )
}
