// Requests for information at the emulated provider.

import { Type } from 'typebox'
import { informationRequestState } from '../end-users/schema.rules.ts'
import { operationsOf } from '../platform/http/operation.ts'
import { anyId, closed, externalUserId, idOf, named, oneOf } from '../platform/http/schema/schema.ts'
import { advanceInformationRequest, simulateInformationRequest } from './information-requests.ts'
import type { Sandbox } from './ports.ts'
import { isEmulated, leverErrors } from './service.ts'

const { write } = operationsOf<Sandbox>('Sandbox', 'end_users')

export const sandboxInformationRequestOperations = [
  write('POST /v0/sandbox/information-requests', {
    id: 'simulateInformationRequest',
    summary: 'Simulate an information request',
    sdk: 'sandbox.simulateInformationRequest(body)',
    when: isEmulated,
    example: { body: ({ externalUserId }) => ({ externalUserId }) },
    audit: { none: 'the emulator only' },
    assistant: 'may',
    description:
      'About an end-user, or about one of its deposits. `GET /v0/information-requests/:id` returns the request once its event has arrived.',
    body: closed({
      externalUserId,
      depositId: Type.Optional(anyId),
      deadlineInHours: Type.Optional(Type.Integer({ minimum: 1, maximum: 8_760, default: 168 })),
      actionTaken: Type.Optional(
        oneOf('SandboxRequestAction', ['customer_paused', 'transaction_paused'], {
          description:
            'Only shown: to pause the end-user as well, decide `pause` with `POST /v0/sandbox/kyc-decisions`.',
        }),
      ),
    }),
    data: named('SimulatedInformationRequest', { id: idOf('informationRequest') }),
    errors: ['holder_not_found', 'deposit_not_found', 'kyc_not_resubmittable', ...leverErrors],
    run: ({ deps, scope, body }) => simulateInformationRequest(deps, scope.business, body),
  }),

  write('POST /v0/sandbox/information-requests/:id/advance', {
    id: 'advanceInformationRequest',
    summary: 'Respond to an information request, or close or reopen it',
    sdk: 'sandbox.advanceInformationRequest(at, body)',
    when: isEmulated,
    example: { body: () => ({ to: 'in_review' }) },
    audit: { none: 'the emulator only' },
    assistant: 'may',
    description:
      '`in_review` simulates a response of the operator, `closed` the end of the provider’s review. The new status arrives as an event.',
    body: closed({ to: informationRequestState }),
    data: named('AdvancedInformationRequest', { advanced: Type.Boolean() }),
    errors: ['information_request_not_found', ...leverErrors],
    run: ({ deps, scope, params, body }) => advanceInformationRequest(deps, scope.business, params.id, body.to),
  }),
]
