// Levers of the emulated provider, for a business's own tests: make a deposit happen, decide a KYC case. Only with PROVIDER_KIND=sandbox, but for the approval that the provider's own sandbox knows.

import { Type } from 'typebox'
import type { ServerDeps } from '../app/context.ts'
import { type App, businessOf, depsOf } from '../platform/http/app.ts'
import {
  anyId,
  closed,
  dataOf,
  externalUserId,
  isoTime,
  lineOf,
  oneOf,
  responses,
} from '../platform/http/schema/schema.ts'
import { reconnectProvider } from '../provider/connection/connection.ts'
import {
  advanceDeposit,
  decideKyc,
  moveSandboxClock,
  readSandboxClock,
  resetSandbox,
  simulateDeposit,
} from './service.ts'

const outcome = oneOf(
  [
    'completed',
    'scheduled',
    'in_review',
    'reviewed_completed',
    'reviewed_refunded',
    'refunded',
    'refunded_unlinked',
    'refund_failed',
    'microdeposit',
  ],
  {
    description:
      'Without it the cents choose: .41 scheduled, .42 in_review, .43 reviewed_completed, .44 reviewed_refunded, .45 refunded, .46 refund_failed, others completed; below the minimum microdeposit.',
  },
)
const decision = oneOf([
  'approve',
  'reject',
  'review',
  'request_document',
  'request_questionnaire',
  'request_ubo',
  'pause',
  'offboard',
  'restrict_deposits',
  'revoke_endorsement',
])
const amount = Type.String({
  pattern: '^(?=.*[1-9])(0|[1-9][0-9]{0,11})(\\.[0-9]{1,2})?$',
  errorText: 'must be a decimal string above zero with at most two decimals, such as "12.50"',
  examples: ['12.50'],
})
const clock = Type.Object(
  { now: isoTime, offsetSeconds: Type.Integer({ description: 'How far it is ahead of the real time.' }) },
  { title: 'SandboxClock' },
)
const upstream = ['provider_rejected', 'sandbox_out_of_step', 'provider_unavailable', 'provider_timeout'] as const
const tags = ['Sandbox']

export function sandboxRoutes(app: App, deps: ServerDeps): void {
  const { mode, providerKind, providerApiKey } = deps.config
  // The provider's own sandbox, too, can be told to approve; its keys say that it is one.
  const isTest = mode === 'sandbox' && providerApiKey?.startsWith('sk-test') === true
  if (providerKind === 'sandbox' || isTest) decisionRoute(app)
  if (providerKind !== 'sandbox') return
  app.post(
    '/v0/sandbox/deposits',
    {
      config: { auth: 'business', scope: 'virtual_accounts:write' },
      schema: {
        operationId: 'simulateDeposit',
        summary: 'Make a deposit arrive at a virtual account',
        description:
          'Its steps come by events. `GET /v0/deposits?providerDepositId=…` finds it once the first one has.',
        tags,
        body: closed({
          virtualAccountId: anyId,
          amount,
          paymentRail: Type.Optional(lineOf(64)),
          outcome: Type.Optional(outcome),
          senderName: Type.Optional(lineOf(140)),
          reference: Type.Optional(lineOf(140)),
        }),
        response: responses(
          dataOf(Type.Object({ providerDepositId: Type.String() }, { title: 'SimulatedDeposit' })),
          'virtual_account_not_found',
          'account_state_conflict',
          ...upstream,
        ),
      },
    },
    async (request) => ({ data: await simulateDeposit(depsOf(request), businessOf(request), request.body) }),
  )

  app.post(
    '/v0/sandbox/deposits/:id/advance',
    {
      config: { auth: 'business', scope: 'virtual_accounts:write' },
      schema: {
        operationId: 'advanceDeposit',
        summary: 'Move on a deposit that waits',
        description:
          '`completed`, `refunded` and `refund_failed` end a review; `next` takes the step that is ahead, of a scheduled transfer for instance. What follows is told by events.',
        tags,
        params: closed({ id: anyId }),
        body: closed({ to: oneOf(['completed', 'refunded', 'refund_failed', 'next']) }),
        response: responses(
          dataOf(Type.Object({ advanced: Type.Boolean() }, { title: 'AdvancedDeposit' })),
          'deposit_not_found',
          ...upstream,
        ),
      },
    },
    async (request) => ({
      data: await advanceDeposit(depsOf(request), businessOf(request), request.params.id, request.body.to),
    }),
  )

  app.get(
    '/v0/sandbox/clock',
    {
      config: { auth: 'business' },
      schema: {
        operationId: 'getSandboxClock',
        summary: 'Read the emulated provider’s clock',
        tags,
        response: responses(dataOf(clock), 'provider_unavailable', 'provider_timeout'),
      },
    },
    async (request) => ({ data: await readSandboxClock(depsOf(request)) }),
  )

  app.post(
    '/v0/sandbox/clock',
    {
      config: { auth: 'business', scope: 'virtual_accounts:write' },
      schema: {
        operationId: 'moveSandboxClock',
        summary: 'Move the emulated provider’s clock forward',
        description:
          'Whatever falls due meanwhile happens at once: decisions, scheduled transfers. It is one clock for all businesses of this deployment; ours, and that of webhook retries, stays as it is.',
        tags,
        body: closed({ advanceSeconds: Type.Integer({ minimum: 1, maximum: 34_560_000 }) }),
        response: responses(dataOf(clock), ...upstream),
      },
    },
    async (request) => ({ data: await moveSandboxClock(depsOf(request), request.body.advanceSeconds) }),
  )

  app.post(
    '/v0/sandbox/reset',
    {
      config: { auth: 'business', scope: 'end_users:write' },
      schema: {
        operationId: 'resetSandbox',
        summary: 'Forget every end-user of this business',
        description:
          'Removes them with their accounts and deposits, here and at the emulated provider, whatever state they are in. Keys, webhook endpoints and the numbers of events stay.',
        tags,
        response: responses(
          dataOf(Type.Object({ erasedEndUsers: Type.Integer() }, { title: 'SandboxReset' })),
          ...upstream,
        ),
      },
    },
    async (request) => {
      const data = await resetSandbox(depsOf(request), businessOf(request))
      await reconnectProvider(deps)
      return { data }
    },
  )
}

function decisionRoute(app: App): void {
  app.post(
    '/v0/sandbox/kyc-decisions',
    {
      config: { auth: 'business', scope: 'end_users:write' },
      schema: {
        operationId: 'decideKyc',
        summary: 'Decide a KYC case as the provider would',
        description:
          'The end-user’s state follows by events. `request_ubo` is for companies. At the provider’s own sandbox only `approve` can be decided.',
        tags,
        body: closed({
          externalUserId,
          decision,
          endorsement: Type.Optional(
            lineOf(64, { description: 'The one that is approved or revoked; all by default.' }),
          ),
          reason: Type.Optional(lineOf(1_024, { description: 'Of a rejection, as the provider’s reviewer wrote it.' })),
        }),
        response: responses(
          dataOf(Type.Object({ decided: Type.Boolean() }, { title: 'KycDecision' })),
          'holder_not_found',
          'kyc_not_resubmittable',
          'invalid_value',
          ...upstream,
        ),
      },
    },
    async (request) => ({ data: await decideKyc(depsOf(request), businessOf(request), request.body) }),
  )
}
