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
    newKeyId: idOf('apiKey', { description: 'The key in its place, with the same name, scopes and expiration.' }),
    oldKeyEndsAt: Type.String({ format: 'date-time', description: 'Until when the old key still works.' }),
  },
  { title: 'ApiKeyRolled' },
)

export const businessEvents: Readonly<Record<BusinessEventType, BusinessEvent>> = {
  'end_user.created': businessEvent(endUser, 'an end-user was created', examples.newEndUser),
  'end_user.tos.accepted': businessEvent(
    endUser,
    'the Terms of Service were accepted: an agreement came with a KYC submission, or the provider says so',
    examples.agreedEndUser,
  ),
  'end_user.kyc.updated': businessEvent(
    endUser,
    'the KYC status, the provider’s status, a rail, the requirements or the rejection reasons changed. An answer of the provider that changes nothing sends nothing',
    examples.approvedEndUser,
  ),
  'end_user.onboarding.completed': businessEvent(
    onboardingLink,
    'the end-user was approved for all currencies of an onboarding link. Once for each link, after the `end_user.kyc.updated` of the approval',
    examples.completedOnboarding,
  ),
  'end_user.onboarding.abandoned': businessEvent(
    onboardingLink,
    'an onboarding link expired while something was left for the end-user to do. Make a new link to go on',
    examples.abandonedOnboarding,
  ),
  'virtual_account.created': businessEvent(
    virtualAccount,
    'an account is open and has its bank details: at once, after an outcome that was unknown, or once the KYC that it waited for is approved',
    examples.account,
  ),
  'virtual_account.updated': businessEvent(
    updatedVirtualAccount,
    'its destination, its fee, its metadata, its bank details or the reason of its suspension changed, by you or at the provider. `changed` names the parts',
    {
      ...examples.account,
      developerFeePercent: '0.75',
      changed: ['developerFeePercent'],
      updatedAt: '2026-11-21T04:10:00.000Z',
    },
  ),
  'virtual_account.suspended': businessEvent(
    virtualAccount,
    'the provider does not accept deposits for it now, for the `suspendedReason`: show its bank details to nobody',
    {
      ...examples.account,
      status: 'suspended',
      suspendedReason: 'end_user_paused',
      updatedAt: '2026-11-21T04:15:00.000Z',
    },
  ),
  'virtual_account.resumed': businessEvent(virtualAccount, 'a suspended account takes deposits again', {
    ...examples.account,
    updatedAt: '2026-11-21T04:18:00.000Z',
  }),
  'virtual_account.deactivated': businessEvent(virtualAccount, 'it takes no more deposits', {
    ...examples.account,
    status: 'deactivated',
    updatedAt: '2026-11-21T04:20:00.000Z',
  }),
  'virtual_account.reactivated': businessEvent(virtualAccount, 'it takes deposits again', {
    ...examples.account,
    updatedAt: '2026-11-21T04:30:00.000Z',
  }),
  'virtual_account.failed': businessEvent(
    virtualAccount,
    'the provider refused to open an account that stood as `pending`. Its bank details stay empty',
    examples.failedAccount,
  ),
  'virtual_account.deposit.updated': businessEvent(
    deposit,
    'a deposit appeared, moved on, or more of it became known',
    examples.receivedDeposit,
  ),
  'virtual_account.payment.received': businessEvent(
    deposit,
    'a deposit became `completed`: the money is at the wallet. Once for each deposit, after its `virtual_account.deposit.updated`',
    examples.completedDeposit,
  ),
  'information_request.updated': businessEvent(
    informationRequest,
    'the provider opened a request for information about an end-user or a deposit, or a request changed. The operator responds to it',
    examples.informationRequest,
  ),
  'webhook_endpoint.disabled': businessEvent(
    webhookEndpoint,
    'we switched an endpoint off: it answered 410, or has only failed for 5 days. Your other endpoints get it at once, this one when it is enabled again',
    examples.disabledEndpoint,
  ),
  'webhook_endpoint.test': businessEvent(
    webhookEndpoint,
    '`POST /v0/webhook-endpoints/:id/test` asks for it, to that endpoint alone',
    examples.endpoint,
  ),
  'api_key.rolled': businessEvent(apiKeyRolled, 'an API key was replaced by another', examples.rolledKey),
}

/** The body of an event: the envelope and its data. */
export function businessEventBody(type: BusinessEventType) {
  return named(componentOf(type), {
    event_id: idOf('event', { description: 'Of this event, for every endpoint and attempt.' }),
    event_type: Type.Literal(type),
    created_at: isoTime,
    api_version: Type.Literal('v0'),
    test: Type.Optional(
      Type.Literal(true, {
        description: 'Only in a test, which goes to one endpoint: nothing happened, `data` is an example.',
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
