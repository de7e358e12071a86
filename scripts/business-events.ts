// Our own events as receivers read them: when each is sent, what its `data` is, and an example. The objects are those of
// the routes; the OpenAPI document and /docs/reference/events are made from this table.

import { type Static, type TSchema, Type } from 'typebox'
import { deposit } from '../packages/server/src/deposits/schema.ts'
import { endUser } from '../packages/server/src/end-users/schema.rules.ts'
import type { BusinessEventType } from '../packages/server/src/events/catalogue.rules.ts'
import { informationRequest } from '../packages/server/src/information-requests/schema.ts'
import { onboardingLink } from '../packages/server/src/onboarding/schema.rules.ts'
import { idOf, isoTime, named } from '../packages/server/src/platform/http/schema/schema.ts'
import { updatedVirtualAccount, virtualAccount } from '../packages/server/src/virtual-accounts/schema.ts'
import { webhookEndpoint } from '../packages/server/src/webhooks/endpoints/schema.ts'
import * as examples from './business-event-examples.ts'

/** `when` completes "Sent when …". */
export type BusinessEvent = { when: string; data: TSchema; example: unknown }

function businessEvent<T extends TSchema>(data: T, when: string, example: Static<T>): BusinessEvent {
  return { when, data, example }
}

const apiKeyRolled = Type.Object(
  {
    oldKeyId: idOf('apiKey', { description: 'The key that was replaced.' }),
    newKeyId: idOf('apiKey', { description: 'The key that replaces it, with the same name, scopes and expiration.' }),
    oldKeyEndsAt: Type.String({ format: 'date-time', description: 'When the old key expires.' }),
  },
  { title: 'ApiKeyRolled' },
)

export const businessEvents: Readonly<Record<BusinessEventType, BusinessEvent>> = {
  'end_user.created': businessEvent(endUser, 'an end-user was created', examples.newEndUser),
  'end_user.tos.accepted': businessEvent(
    endUser,
    'the end-user accepted the Terms of Service: a KYC submission contained an agreement, or the provider reported it',
    examples.agreedEndUser,
  ),
  'end_user.kyc.updated': businessEvent(
    endUser,
    'the KYC status, the provider’s status, a rail, the requirements or the rejection reasons changed. A provider response that changes nothing sends no event',
    examples.approvedEndUser,
  ),
  'end_user.onboarding.completed': businessEvent(
    onboardingLink,
    'the end-user was approved for all currencies of an onboarding link. Sent once for each link, after the `end_user.kyc.updated` of the approval',
    examples.completedOnboarding,
  ),
  'end_user.onboarding.abandoned': businessEvent(
    onboardingLink,
    'an onboarding link expired before the end-user completed onboarding. Create a new link to continue',
    examples.abandonedOnboarding,
  ),
  'virtual_account.created': businessEvent(
    virtualAccount,
    'an account is open and has its bank details: usually immediately, or later if the account was `pending`',
    examples.account,
  ),
  'virtual_account.updated': businessEvent(
    updatedVirtualAccount,
    'the destination, fee, metadata, bank details or suspension reason of an account changed, by you or at the provider. `changed` lists the changed parts',
    {
      ...examples.account,
      developerFeePercent: '0.75',
      changed: ['developerFeePercent'],
      updatedAt: '2026-11-21T04:10:00.000Z',
    },
  ),
  'virtual_account.suspended': businessEvent(
    virtualAccount,
    'the provider temporarily does not accept deposits for an account, because of the `suspendedReason`: do not show its bank details',
    {
      ...examples.account,
      status: 'suspended',
      suspendedReason: 'end_user_paused',
      updatedAt: '2026-11-21T04:15:00.000Z',
    },
  ),
  'virtual_account.resumed': businessEvent(virtualAccount, 'a suspended account accepts deposits again', {
    ...examples.account,
    updatedAt: '2026-11-21T04:18:00.000Z',
  }),
  'virtual_account.deactivated': businessEvent(virtualAccount, 'an account no longer accepts deposits', {
    ...examples.account,
    status: 'deactivated',
    updatedAt: '2026-11-21T04:20:00.000Z',
  }),
  'virtual_account.reactivated': businessEvent(virtualAccount, 'an account accepts deposits again', {
    ...examples.account,
    updatedAt: '2026-11-21T04:30:00.000Z',
  }),
  'virtual_account.failed': businessEvent(
    virtualAccount,
    'the provider did not open an account that was `pending`. Its bank details stay empty',
    examples.failedAccount,
  ),
  'virtual_account.deposit.updated': businessEvent(
    deposit,
    'a deposit was created, its status changed, or more details became known',
    examples.receivedDeposit,
  ),
  'virtual_account.payment.received': businessEvent(
    deposit,
    'a deposit became `completed`: the payout reached the wallet. The deposit status `received` is an earlier step. Sent once for each deposit, after its `virtual_account.deposit.updated`',
    examples.completedDeposit,
  ),
  'information_request.updated': businessEvent(
    informationRequest,
    'the provider opened a request for information about an end-user or a deposit, or a request changed. The operator responds to it',
    examples.informationRequest,
  ),
  'webhook_endpoint.disabled': businessEvent(
    webhookEndpoint,
    'Causeway disabled an endpoint: it responded with 410, or every attempt has failed for 5 days. Your other endpoints receive the event immediately, this one after it is enabled again',
    examples.disabledEndpoint,
  ),
  'webhook_endpoint.test': businessEvent(
    webhookEndpoint,
    'you call `POST /v0/webhook-endpoints/:id/test`, to that endpoint only',
    examples.endpoint,
  ),
  'api_key.rolled': businessEvent(apiKeyRolled, 'an API key was replaced by another', examples.rolledKey),
}

/** The body of an event: the envelope and its data. */
export function businessEventBody(type: BusinessEventType) {
  return named(componentOf(type), {
    event_id: idOf('event', { description: 'The ID of the event, the same for every endpoint and attempt.' }),
    event_type: Type.Literal(type),
    created_at: isoTime,
    api_version: Type.Literal('v0'),
    test: Type.Optional(
      Type.Literal(true, {
        description: 'Only in a test event, which goes to one endpoint: `data` is an example.',
      }),
    ),
    data: businessEvents[type].data,
  })
}

/** Names an event in the API document: `api_key.rolled` is `ApiKeyRolledEvent`. */
export function componentOf(type: BusinessEventType): string {
  return `${type.replace(/(?:^|[._])(\w)/g, (_match, letter: string) => letter.toUpperCase())}Event`
}

export function businessEventExample(type: BusinessEventType) {
  return {
    event_id: 'evt_06bd3rk0a3m8qv5t7x1n2p4r6s',
    event_type: type,
    created_at: '2026-11-21T04:40:54.304Z',
    api_version: 'v0',
    ...(type === 'webhook_endpoint.test' && { test: true }),
    data: businessEvents[type].example,
  }
}
