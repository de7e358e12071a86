// Controls of the sandbox provider, for a business's own tests: KYC decisions, the terms, and the controls in the other
// files of this folder.

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

/** The provider's own sandbox can also approve; its keys show that it is a sandbox. */
const decidesKyc = ({ mode, providerKind, providerApiKey }: Config): boolean =>
  providerKind === 'sandbox' || (mode === 'sandbox' && providerApiKey?.startsWith('sk-test') === true)

const { write } = operationsOf<Sandbox>('Sandbox', 'end_users')

export const sandboxOperations = [
  write('POST /v0/sandbox/kyc-decisions', {
    id: 'decideKyc',
    summary: 'Simulate a KYC decision',
    sdk: 'sandbox.decideKyc(body)',
    when: decidesKyc,
    example: { body: ({ externalUserId }) => ({ externalUserId, decision: 'approve' }) },
    audit: { none: 'the emulator or the provider’s own sandbox only' },
    assistant: 'destroys',
    description:
      'The end-user’s status changes when the provider’s events arrive. `request_ubo` is for companies. The provider’s own sandbox supports `approve` only.',
    body: closed({
      externalUserId,
      decision,
      endorsement: Type.Optional(lineOf(64, { description: 'The endorsement to approve or revoke. Default: all.' })),
      reason: Type.Optional(
        lineOf(1_024, { description: 'The reason of a rejection, as the provider’s reviewer would write it.' }),
      ),
    }),
    data: named('KycDecision', { decided: Type.Boolean() }),
    errors: ['holder_not_found', 'kyc_not_resubmittable', 'invalid_value', 'not_offered', ...leverErrors],
    run: ({ deps, scope, body }) => decideKyc(deps, scope.business, body),
  }),

  write('POST /v0/sandbox/terms-acceptances', {
    id: 'acceptTerms',
    summary: 'Simulate acceptance of the terms',
    sdk: 'sandbox.acceptTerms(body)',
    when: isEmulated,
    example: { body: ({ externalUserId }) => ({ externalUserId }) },
    audit: { none: 'the emulator only' },
    description:
      'Returns the agreement ID that `POST /v0/end-users/:externalUserId/submit-kyc` takes as `signed_agreement_id`. The submission updates the end-user’s `tosStatus`.',
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
    summary: 'Delete all end-users of this business',
    sdk: 'sandbox.reset()',
    when: isEmulated,
    audit: { none: 'the sandbox provider only; each deleted end-user has a separate entry' },
    assistant: 'destroys',
    description:
      'Deletes the end-users with their accounts and deposits, in Causeway and at the sandbox provider, whatever their status. Keys, webhook endpoints and the numbers of events remain.',
    data: named('SandboxReset', { deletedEndUsers: Type.Integer() }),
    errors: ['not_offered', ...leverErrors],
    run: ({ deps, scope }) => resetSandbox(deps, scope.business),
  }),
]
