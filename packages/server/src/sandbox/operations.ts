// Levers of the emulated provider, for a business's own tests: KYC decisions, the terms, and what stands in the other files of
// this folder.

import { Type } from 'typebox'
import type { Config } from '../platform/config.ts'
import { operationsOf } from '../platform/http/operation.ts'
import { closed, externalUserId, lineOf, named, oneOf } from '../platform/http/schema/schema.ts'
import { sandboxClockOperations } from './clock.operations.ts'
import { sandboxDepositOperations } from './deposits.operations.ts'
import { sandboxFaultOperations } from './faults.operations.ts'
import { sandboxInboxOperations } from './inboxes.operations.ts'
import { sandboxInformationRequestOperations } from './information-requests.operations.ts'
import type { Sandbox } from './ports.ts'
import { acceptTerms, decideKyc, isEmulated, leverErrors, resetSandbox } from './service.ts'

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

/** The provider's own sandbox, too, can be told to approve; its keys say that it is one. */
const decidesKyc = ({ mode, providerKind, providerApiKey }: Config): boolean =>
  providerKind === 'sandbox' || (mode === 'sandbox' && providerApiKey?.startsWith('sk-test') === true)

const { write } = operationsOf<Sandbox>('Sandbox', 'end_users')

export const sandboxOperations = [
  write('POST /v0/sandbox/kyc-decisions', {
    id: 'decideKyc',
    summary: 'Decide a KYC case as the provider would',
    sdk: 'sandbox.decideKyc(body)',
    when: decidesKyc,
    example: { body: ({ externalUserId }) => ({ externalUserId, decision: 'approve' }) },
    audit: { none: 'the emulator or the provider’s own sandbox only' },
    assistant: 'destroys',
    description:
      'The end-user’s state follows by events. `request_ubo` is for companies. At the provider’s own sandbox only `approve` can be decided.',
    body: closed({
      externalUserId,
      decision,
      endorsement: Type.Optional(lineOf(64, { description: 'The one that is approved or revoked; all by default.' })),
      reason: Type.Optional(lineOf(1_024, { description: 'Of a rejection, as the provider’s reviewer wrote it.' })),
    }),
    data: named('KycDecision', { decided: Type.Boolean() }),
    errors: ['holder_not_found', 'kyc_not_resubmittable', 'invalid_value', 'not_offered', ...leverErrors],
    run: ({ deps, scope, body }) => decideKyc(deps, scope.business, body),
  }),

  write('POST /v0/sandbox/terms-acceptances', {
    id: 'acceptTerms',
    summary: 'Accept the terms as the end-user would',
    sdk: 'sandbox.acceptTerms(body)',
    when: isEmulated,
    example: { body: ({ externalUserId }) => ({ externalUserId }) },
    audit: { none: 'the emulator only' },
    description:
      'Answers the agreement that `POST /v0/end-users/:externalUserId/submit-kyc` takes as `signed_agreement_id`. The end-user’s `tosStatus` follows from the submission.',
    body: closed({ externalUserId }),
    data: named('TermsAcceptance', { externalUserId: Type.String(), signedAgreementId: Type.String() }),
    errors: ['holder_not_found', 'tos_link_in_progress', ...leverErrors],
    run: ({ deps, scope, body }) => acceptTerms(deps, scope, body.externalUserId),
  }),

  ...sandboxDepositOperations,
  ...sandboxInformationRequestOperations,
  ...sandboxClockOperations,
  ...sandboxFaultOperations,
  ...sandboxInboxOperations,

  write('POST /v0/sandbox/reset', {
    id: 'resetSandbox',
    summary: 'Forget every end-user of this business',
    sdk: 'sandbox.reset()',
    when: isEmulated,
    audit: { none: 'the emulator only; each end-user that it erases has an entry of its own' },
    assistant: 'destroys',
    description:
      'Removes them with their accounts and deposits, here and at the emulated provider, whatever state they are in. Keys, webhook endpoints and the numbers of events stay.',
    data: named('SandboxReset', { erasedEndUsers: Type.Integer() }),
    errors: ['not_offered', ...leverErrors],
    run: ({ deps, scope }) => resetSandbox(deps, scope.business),
  }),
]
