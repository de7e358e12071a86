// The request for information as the API shows it: to the business, and to the operator.

import { Type } from 'typebox'
import { openInformationRequest } from '../end-users/schema.rules.ts'
import { idOf, isoTime, named, nullable } from '../platform/http/schema/schema.ts'

const word = (description: string) => nullable(Type.String({ description }))

const shared = {
  ...openInformationRequest.properties,
  actionAtDeadline: word(
    'The provider’s action if the deadline passes: `pause_customer`, or a newer value of the provider.',
  ),
  depositId: nullable(
    idOf('deposit', { description: 'The deposit that the request is about; null while no such deposit is known.' }),
  ),
  openedAt: nullable({ ...isoTime, description: 'By the provider’s clock.' }),
  closedAt: nullable({ ...isoTime, description: 'Null while the request is open.' }),
  createdAt: { ...isoTime, description: 'When Causeway received the request.' },
  updatedAt: isoTime,
}

export const informationRequest = named('InformationRequest', { ...shared, externalUserId: Type.String() })

export const operatorInformationRequest = named('OperatorInformationRequest', {
  ...shared,
  customerId: nullable(
    idOf('business', {
      description:
        'Null if the request is about your account at the provider, or about a provider customer that Causeway does not know.',
    }),
  ),
  externalUserId: nullable(Type.String()),
  providerRequestId: Type.String({ description: 'The provider’s ID, to quote to its support.' }),
  referentType: word('The kind of object that the request is about: `deposit`, or another value of the provider.'),
  providerDepositId: word('The provider’s ID of the deposit.'),
  dashboardUrl: word('URL of the request in the provider’s dashboard, where you respond. Needs an account there.'),
})
