// End-users: create, read, list, change, erase; and the links to the provider's Terms of Service.

import { Type } from 'typebox'
import { operationsOf } from '../platform/http/operation.ts'
import { shown, timeRange } from '../platform/http/schema/paging.ts'
import {
  closed,
  deleted,
  externalUserId,
  lineOf,
  metadata,
  metadataFilter,
  named,
  nullable,
} from '../platform/http/schema/schema.ts'
import { upstreamErrors } from '../platform/http/serve.ts'
import { deleteEndUser } from './erasure.ts'
import type { Terms } from './ports.ts'
import { endUser, endUserType, kycStatus, tosStatus } from './schema.rules.ts'
import { createEndUser, endUserView, getEndUser, listEndUsers, updateEndUser } from './service.ts'
import { createTosLink } from './tos-links.ts'

const tosOrigin = nullable(
  Type.String({ description: 'The origin of the open Terms link. Accept browser messages from this origin only.' }),
)

const email = Type.String({
  maxLength: 320,
  pattern: '^[^\\s@\\x00-\\x1f]+@[^\\s@\\x00-\\x1f]+$',
  wellFormed: true,
  errorText: 'must be an email address',
})

/** A path cannot name these two: clients and proxies take them for steps of the path (RFC 3986, 5.2.4). */
const newExternalUserId = Type.String({
  ...externalUserId,
  not: { enum: ['.', '..'] },
  errorText: 'must have 1 to 128 characters, none of them a control character, and be neither `.` nor `..`',
})

const q = lineOf(320, {
  description:
    'The beginning of `externalUserId` or `email`, not case-sensitive. Without another filter, also the complete `id` of an end-user.',
})

const newEndUser = closed({
  externalUserId: newExternalUserId,
  email: Type.Optional(email),
  type: Type.Optional(endUserType),
  metadata: Type.Optional(metadata),
})

const endUserChange = closed(
  { email: Type.Optional(nullable(email)), type: Type.Optional(endUserType), metadata: Type.Optional(metadata) },
  { minProperties: 1 },
)

const redirectUri = Type.String({
  minLength: 1,
  errorCode: 'invalid_redirect_uri',
  description: 'An absolute `https` URL of at most 2,048 characters.',
})
const tosLink = named('TosLink', {
  tosLinkId: Type.String({ pattern: '^tos_link_[0-9a-z]{26}$' }),
  tosLink: Type.String(),
  tosStatus,
})

const { read, write, list } = operationsOf<Terms>('End-users', 'end_users')
const onboarding = operationsOf<Terms>('Onboarding', 'end_users')

export const endUserOperations = [
  write('POST /v0/end-users', {
    id: 'createEndUser',
    summary: 'Create an end-user',
    sdk: 'endUsers.create(body)',
    example: { body: () => ({ externalUserId: 'somebody-new' }) },
    audit: { none: 'gives nobody a right; the end-user and its event record it' },
    assistant: 'may',
    description: 'The first step of onboarding. Your own `externalUserId` identifies the end-user.',
    body: newEndUser,
    data: endUser,
    errors: ['end_user_already_exists'],
    run: ({ deps, scope, body }) => createEndUser(deps, scope, body),
  }),

  list('GET /v0/end-users', {
    id: 'listEndUsers',
    summary: 'List end-users, newest first',
    sdk: 'endUsers.list(query)',
    unindexed: [['type'], ['kycStatus', 'type'], ['q', 'kycStatus'], ['metadata', 'kycStatus']],
    description:
      'With `q`, the list is sorted alphabetically by the field that matched; other filters search the first 50,000 matches.',
    filters: { externalUserId, kycStatus, type: endUserType, metadata: metadataFilter, q, ...timeRange },
    items: endUser,
    run: async ({ deps, scope, filter, page }) =>
      shown(await listEndUsers(deps, scope.business, filter, page), (row) => endUserView(deps, row)),
  }),

  read('GET /v0/end-users/:externalUserId', {
    id: 'getEndUser',
    summary: 'Read an end-user',
    sdk: 'endUsers.get(at)',
    data: named('EndUserWithTosOrigin', { ...endUser.properties, tosOrigin }),
    errors: ['holder_not_found'],
    run: ({ deps, scope, params }) => getEndUser(deps, scope.business, params.externalUserId),
  }),

  write('PATCH /v0/end-users/:externalUserId', {
    id: 'updateEndUser',
    summary: 'Update an end-user',
    sdk: 'endUsers.update(at, body)',
    example: { body: () => ({ metadata: { plan: 'gold' } }) },
    audit: { none: 'an email address and labels: they give no right and move no money' },
    assistant: 'may',
    description:
      'Changes Causeway’s record. The next `submit-kyc` changes the provider’s data. `metadata` is replaced as a whole; `email: null` removes the email address. You can change `type` until the end-user exists at the provider.',
    body: endUserChange,
    data: endUser,
    errors: ['holder_not_found', 'end_user_type_fixed'],
    run: ({ deps, scope, params, body }) => updateEndUser(deps, scope, params.externalUserId, body),
  }),

  write('DELETE /v0/end-users/:externalUserId', {
    id: 'deleteEndUser',
    summary: 'Delete an end-user',
    sdk: 'endUsers.delete(at)',
    command: 'end-users delete',
    audit: ['end_user.deleted'],
    sensitive: true,
    description:
      'Deletes what Causeway stores: the record, links, virtual accounts, deposits, and the content of events. The IDs, types and sequence numbers of events remain. Returns 409 while an account is active or suspended, a deposit is in progress, or a request at the provider is open. The provider keeps its own data. You cannot undo this.',
    data: deleted,
    errors: ['holder_not_found', 'end_user_in_use'],
    run: ({ deps, scope, params }) => deleteEndUser(deps, scope, params.externalUserId),
  }),

  onboarding.write('POST /v0/end-users/:externalUserId/tos-link', {
    id: 'createTosLink',
    summary: 'Generate a Terms of Service link',
    sdk: 'endUsers.createTosLink(at, body)',
    example: { body: () => ({}) },
    audit: { none: 'a link to a page; the provider records what is accepted there' },
    assistant: 'may',
    description:
      'Embed `tosLink` in an iframe and read `signedAgreementId` from the message that the page posts. Check that the message comes from the origin of `tosLink`, which is also `tosOrigin` of the end-user. Or open the link with a `redirectUri` and read `signed_agreement_id` from its query. While a link is pending, the same request returns the same link.',
    body: closed({ redirectUri: Type.Optional(redirectUri) }),
    data: tosLink,
    errors: ['not_offered', 'holder_not_found', 'invalid_redirect_uri', 'tos_link_in_progress', ...upstreamErrors],
    run: ({ deps, scope, params, body }) => createTosLink(deps, scope, params.externalUserId, body),
  }),
]
