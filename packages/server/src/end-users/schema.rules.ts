// What the API shows of an end-user: one object is schema, type and documentation.

import { type Static, Type } from 'typebox'
import { externalUserId, idOf, isoTime, metadata, named, nullable, oneOf } from '../platform/http/schema/schema.ts'

export const kycStatus = oneOf(
  'KycStatus',
  ['not_started', 'under_review', 'approved', 'rejected', 'action_required', 'paused', 'offboarded'],
  {
    description: 'Where KYC stands, in our words; `providerStatus` keeps the provider’s.',
  },
)
export const endUserType = oneOf('EndUserType', ['individual', 'business'], {
  description: 'A person or a company; what KYC asks for differs.',
})
export const tosStatus = oneOf('TosStatus', ['pending', 'approved', 'expired'], {
  description: 'Whether the Terms of Service are accepted; `expired`: the last link ran out, make another.',
})
export const railStatus = oneOf('RailStatus', ['inactive', 'pending', 'active', 'action_required', 'revoked'])

const requirementLists = {
  currentlyDue: Type.Array(Type.String(), { description: 'What is missing, in the provider’s names.' }),
  pendingReview: Type.Array(Type.String(), { description: 'What the provider looks into by itself.' }),
  errors: Type.Array(
    Type.Object({
      requirement: Type.String({ description: 'What it is about.' }),
      code: Type.String({ description: 'The provider’s word for what is wrong.' }),
      reason: Type.String({ description: 'Fit to be shown to the end-user.' }),
      resubmittable: Type.Boolean({ description: 'Whether sending something else can mend it.' }),
    }),
  ),
}

const personId = Type.String({
  description: 'The provider’s id of the person, as in `associatedPersons` of kyc-links.',
})

export const requirements = named(
  { title: 'Requirements', description: 'Replaced by each answer of the provider, never merged.' },
  {
    ...requirementLists,
    associatedPersons: Type.Array(Type.Object({ id: personId, ...requirementLists }), {
      description: 'Of the people of a company: what is open of whom, and not listed above.',
    }),
    future: Type.Array(
      Type.Object({
        effectiveDate: nullable(Type.String({ description: 'From this day on it counts, written yyyy-mm-dd.' })),
        ...requirementLists,
      }),
      { description: 'What the provider will ask for from a date on. Nothing of it stands in the way today.' },
    ),
  },
)

export const informationRequestState = oneOf('InformationRequestState', ['action_required', 'in_review', 'closed'], {
  description:
    'Who acts next. `action_required`: somebody with an account at the provider must respond. `in_review`: the provider examines the response. `closed`: nothing is open. Any status may follow any other.',
})

export const openInformationRequest = named(
  { title: 'OpenInformationRequest', description: 'A request of the provider for information, while it is open.' },
  {
    id: idOf('informationRequest'),
    state: informationRequestState,
    deadline: nullable({ ...isoTime, description: 'The time by which the provider wants the response.' }),
    actionTaken: nullable(
      Type.String({
        description:
          'The action of the provider because of the request: `customer_paused`, `transaction_paused`, or a newer word of the provider.',
      }),
    ),
  },
)

export const nextAction = named(
  { title: 'NextAction', description: 'The one answer to “what now?”.' },
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
        description: 'Of the people of a company: what each one’s entry in `associated_persons` must hold.',
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
  email: nullable(Type.String({ description: 'As you gave it; not the one of the KYC data.' })),
  type: endUserType,
  metadata,
  kycStatus,
  providerStatus: nullable(Type.String({ description: 'The provider’s own word; null before it knows the end-user.' })),
  tosStatus,
  rails: Type.Object(
    { usd: railStatus, eur: railStatus, mxn: railStatus, brl: railStatus, gbp: railStatus, cop: railStatus },
    { description: 'Whether accounts in this currency can be opened: only where it is `active`.' },
  ),
  requirements,
  nextAction,
  informationRequests: Type.Array(openInformationRequest, {
    description: 'Requests of the provider for information about this end-user that are open, oldest first.',
  }),
  providerCustomerId: nullable(
    Type.String({ description: 'For the provider’s support; null before KYC is submitted.' }),
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
