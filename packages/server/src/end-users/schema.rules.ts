// The end-user in the API: one object is schema, type and documentation.

import { type Static, Type } from 'typebox'
import { externalUserId, idOf, isoTime, metadata, named, nullable, oneOf } from '../platform/http/schema/schema.ts'

export const kycStatus = oneOf(
  'KycStatus',
  ['not_started', 'under_review', 'approved', 'rejected', 'action_required', 'paused', 'offboarded'],
  {
    description: 'The KYC status as Causeway defines it; `providerStatus` contains the provider’s own status.',
  },
)
export const endUserType = oneOf('EndUserType', ['individual', 'business'], {
  description: 'A person or a company. KYC requirements differ by type.',
})
export const tosStatus = oneOf('TosStatus', ['pending', 'approved', 'expired'], {
  description:
    'Whether the end-user has accepted the Terms of Service. `expired`: the last link has expired; create a new one.',
})
export const railStatus = oneOf('RailStatus', ['inactive', 'pending', 'active', 'action_required', 'revoked'])

const requirementLists = {
  currentlyDue: Type.Array(Type.String(), { description: 'Missing requirements, in the provider’s names.' }),
  pendingReview: Type.Array(Type.String(), { description: 'Requirements that the provider is reviewing.' }),
  errors: Type.Array(
    Type.Object({
      requirement: Type.String({ description: 'The requirement with the problem.' }),
      code: Type.String({ description: 'The provider’s code for the problem.' }),
      reason: Type.String({ description: 'A description that you can show to the end-user.' }),
      resubmittable: Type.Boolean({ description: 'Whether a new submission can fix it.' }),
    }),
  ),
}

const personId = Type.String({
  description: 'The provider’s ID of the person, as in `associatedPersons` of kyc-links.',
})

export const requirements = named(
  { title: 'Requirements', description: 'Replaced by each response of the provider, never merged.' },
  {
    ...requirementLists,
    associatedPersons: Type.Array(Type.Object({ id: personId, ...requirementLists }), {
      description: 'Open requirements of each person of a company. They are not listed above.',
    }),
    future: Type.Array(
      Type.Object({
        effectiveDate: nullable(Type.String({ description: 'The day from which it applies, written yyyy-mm-dd.' })),
        ...requirementLists,
      }),
      { description: 'Requirements that apply from a later date. None of them blocks the end-user today.' },
    ),
  },
)

export const informationRequestState = oneOf('InformationRequestState', ['action_required', 'in_review', 'closed'], {
  description:
    'Who acts next. `action_required`: someone with an account at the provider must respond. `in_review`: the provider is reviewing the response. `closed`: nothing is open. Any status can follow any other.',
})

export const openInformationRequest = named(
  { title: 'OpenInformationRequest', description: 'An open information request of the provider.' },
  {
    id: idOf('informationRequest'),
    state: informationRequestState,
    deadline: nullable({ ...isoTime, description: 'The time by which the provider wants the response.' }),
    actionTaken: nullable(
      Type.String({
        description:
          'The provider’s action because of the request: `customer_paused`, `transaction_paused`, or a newer value of the provider.',
      }),
    ),
  },
)

export const nextAction = named(
  { title: 'NextAction', description: 'The next step for the end-user.' },
  {
    kind: oneOf('NextActionKind', [
      'accept_tos',
      'submit_kyc',
      'resubmit_kyc',
      'open_link',
      'wait',
      'contact_support',
      'none',
    ]),
    url: Type.Optional(Type.String({ description: 'The page to open.' })),
    fields: Type.Optional(Type.Array(Type.String(), { description: 'Members of the submit-kyc body to send.' })),
    associatedPersons: Type.Optional(
      Type.Array(Type.Object({ id: personId, fields: Type.Array(Type.String()) }), {
        description: 'For the people of a company: what the entry of each person in `associated_persons` must contain.',
      }),
    ),
    expectedBy: Type.Optional(isoTime),
    reason: Type.Optional(
      oneOf('NextActionReason', ['information_requested'], {
        description:
          'The reason to contact support. `information_requested`: the provider waits for a response to a request in `informationRequests`.',
      }),
    ),
  },
)

export const endUser = named('EndUser', {
  id: idOf('endUser'),
  externalUserId,
  email: nullable(Type.String({ description: 'The email address that you sent; not the one in the KYC data.' })),
  type: endUserType,
  metadata,
  kycStatus,
  providerStatus: nullable(
    Type.String({ description: 'The provider’s own status; null until the end-user exists at the provider.' }),
  ),
  tosStatus,
  rails: Type.Object(
    { usd: railStatus, eur: railStatus, mxn: railStatus, brl: railStatus, gbp: railStatus, cop: railStatus },
    { description: 'Whether you can open accounts in this currency: only if `active`.' },
  ),
  requirements,
  nextAction,
  informationRequests: Type.Array(openInformationRequest, {
    description: 'Requests of the provider for information about this end-user that are open, oldest first.',
  }),
  providerCustomerId: nullable(
    Type.String({
      description: 'The provider’s ID of the end-user, to quote to its support; null before KYC is submitted.',
    }),
  ),
  createdAt: isoTime,
  updatedAt: isoTime,
})

export type KycStatus = Static<typeof kycStatus>
export type TosStatus = Static<typeof tosStatus>
export type RailStatus = Static<typeof railStatus>
export type Requirements = Static<typeof requirements>
export type NextAction = Static<typeof nextAction>
export type InformationRequestState = Static<typeof informationRequestState>
export type OpenInformationRequest = Static<typeof openInformationRequest>
export type EndUserView = Static<typeof endUser>
