// Levers of the emulated provider, for a business's own tests: make a deposit happen, decide a KYC case. Only with PROVIDER_KIND=sandbox, but for the approval that the provider's own sandbox knows.

import { Type } from 'typebox'
import type { ServerCore } from '../platform/core.ts'
import type { App } from '../platform/http/app.ts'
import { awayErrors, businessRoutes, upstreamErrors } from '../platform/http/route.ts'
import { anyId, closed, externalUserId, idOf, isoTime, lineOf, named, oneOf } from '../platform/http/schema/schema.ts'
import { reconnectProvider } from '../provider/connection/connection.ts'
import type { Connects } from '../provider/connection/ports.ts'
import { informationRequestSandboxRoutes } from './information-requests.routes.ts'
import { faultRoutes, inboxRoutes } from './receiver.routes.ts'
import {
  acceptTerms,
  advanceDeposit,
  decideKyc,
  moveSandboxClock,
  readSandboxClock,
  resetSandbox,
  simulateDeposit,
} from './service.ts'

const outcome = oneOf(
  'SandboxDepositOutcome',
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
const decision = oneOf('SandboxKycDecision', [
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
  pattern: '^(0\\.(0[1-9]|[1-9][0-9]?)|[1-9][0-9]{0,11}(\\.[0-9]{1,2})?)$',
  errorText: 'must be a decimal string above zero with at most two decimals, such as "12.50"',
  examples: ['12.50'],
})
const clock = named('SandboxClock', {
  now: isoTime,
  offsetSeconds: Type.Integer({ description: 'How far it is ahead of the real time.' }),
})
const upstream = ['sandbox_out_of_step', ...upstreamErrors] as const

export function sandboxRoutes(app: App, deps: ServerCore & Connects): void {
  const { mode, providerKind, providerApiKey } = deps.config
  // The provider's own sandbox, too, can be told to approve; its keys say that it is one.
  const isTest = mode === 'sandbox' && providerApiKey?.startsWith('sk-test') === true
  if (providerKind === 'sandbox' || isTest) decisionRoute(app)
  if (providerKind !== 'sandbox') return
  termsRoute(app)
  depositRoutes(app)
  informationRequestSandboxRoutes(app)
  clockRoutes(app)
  faultRoutes(app)
  inboxRoutes(app)

  businessRoutes(app, 'Sandbox', 'end_users').route('POST /v0/sandbox/reset', {
    id: 'resetSandbox',
    summary: 'Forget every end-user of this business',
    description:
      'Removes them with their accounts and deposits, here and at the emulated provider, whatever state they are in. Keys, webhook endpoints and the numbers of events stay.',
    data: named('SandboxReset', { erasedEndUsers: Type.Integer() }),
    errors: upstream,
    run: async (call) => {
      const reset = await resetSandbox(call.deps, call.business)
      await reconnectProvider(deps)
      return reset
    },
  })
}

function termsRoute(app: App): void {
  businessRoutes(app, 'Sandbox', 'end_users').route('POST /v0/sandbox/terms-acceptances', {
    id: 'acceptTerms',
    summary: 'Accept the terms as the end-user would',
    description:
      'Answers the agreement that `POST /v0/end-users/:externalUserId/submit-kyc` takes as `signed_agreement_id`. The end-user’s `tosStatus` follows from the submission.',
    body: closed({ externalUserId }),
    data: named('TermsAcceptance', { externalUserId: Type.String(), signedAgreementId: Type.String() }),
    errors: ['holder_not_found', 'tos_link_in_progress', ...upstream],
    run: ({ deps, scope, body }) => acceptTerms(deps, scope, body.externalUserId),
  })
}

function depositRoutes(app: App): void {
  const { route } = businessRoutes(app, 'Sandbox', 'virtual_accounts')

  route('POST /v0/sandbox/deposits', {
    id: 'simulateDeposit',
    summary: 'Make a deposit arrive at a virtual account',
    description: 'Its steps come by events. `GET /v0/deposits/:id` finds it once the first one has.',
    body: closed({
      virtualAccountId: anyId,
      amount,
      paymentRail: Type.Optional(lineOf(64)),
      outcome: Type.Optional(outcome),
      senderName: Type.Optional(lineOf(140)),
      reference: Type.Optional(lineOf(140)),
    }),
    data: named('SimulatedDeposit', { id: idOf('deposit'), providerDepositId: Type.String() }),
    errors: ['virtual_account_not_found', 'account_state_conflict', ...upstream],
    run: ({ deps, business, body }) => simulateDeposit(deps, business, body),
  })

  route('POST /v0/sandbox/deposits/:id/advance', {
    id: 'advanceDeposit',
    summary: 'Move on a deposit that waits',
    description:
      '`completed`, `refunded` and `refund_failed` end a review; `next` takes the step that is ahead, of a scheduled transfer for instance. What follows is told by events.',
    body: closed({ to: oneOf('SandboxDepositStep', ['completed', 'refunded', 'refund_failed', 'next']) }),
    data: named('AdvancedDeposit', { advanced: Type.Boolean() }),
    errors: ['deposit_not_found', ...upstream],
    run: ({ deps, business, params, body }) => advanceDeposit(deps, business, params.id, body.to),
  })
}

function clockRoutes(app: App): void {
  businessRoutes(app, 'Sandbox').route('GET /v0/sandbox/clock', {
    id: 'getSandboxClock',
    summary: 'Read the emulated provider’s clock',
    data: clock,
    errors: [...awayErrors],
    run: ({ deps }) => readSandboxClock(deps),
  })

  businessRoutes(app, 'Sandbox', 'virtual_accounts').route('POST /v0/sandbox/clock', {
    id: 'moveSandboxClock',
    summary: 'Move the emulated provider’s clock forward',
    description:
      'Whatever falls due meanwhile happens at once: decisions, scheduled transfers. It is one clock for all businesses of this deployment; ours, and that of webhook retries, stays as it is.',
    body: closed({ advanceSeconds: Type.Integer({ minimum: 1, maximum: 34_560_000 }) }),
    data: clock,
    errors: upstream,
    run: ({ deps, body }) => moveSandboxClock(deps, body.advanceSeconds),
  })
}

function decisionRoute(app: App): void {
  businessRoutes(app, 'Sandbox', 'end_users').route('POST /v0/sandbox/kyc-decisions', {
    id: 'decideKyc',
    summary: 'Decide a KYC case as the provider would',
    description:
      'The end-user’s state follows by events. `request_ubo` is for companies. At the provider’s own sandbox only `approve` can be decided.',
    body: closed({
      externalUserId,
      decision,
      endorsement: Type.Optional(lineOf(64, { description: 'The one that is approved or revoked; all by default.' })),
      reason: Type.Optional(lineOf(1_024, { description: 'Of a rejection, as the provider’s reviewer wrote it.' })),
    }),
    data: named('KycDecision', { decided: Type.Boolean() }),
    errors: ['holder_not_found', 'kyc_not_resubmittable', 'invalid_value', ...upstream],
    run: ({ deps, business, body }) => decideKyc(deps, business, body),
  })
}
