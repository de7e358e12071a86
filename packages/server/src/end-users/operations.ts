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
import { eraseEndUser } from './erasure.ts'
import type { Terms } from './ports.ts'
import { endUser, endUserType, kycStatus, tosStatus } from './schema.rules.ts'
import { createEndUser, endUserView, getEndUser, listEndUsers, updateEndUser } from './service.ts'
import { createTosLink } from './tos-links.ts'

const tosOrigin = nullable(
  Type.String({ description: 'The origin of the open Terms link: the only one whose browser messages to believe.' }),
)

const email = Type.String({
  maxLength: 320,
  pattern: '^[^\\s@\\x00-\\x1f]+@[^\\s@\\x00-\\x1f]+$',
  wellFormed: true,
  errorText: 'must be an e-mail address',
})

/** A path cannot name these two: clients and proxies take them for steps of the path (RFC 3986, 5.2.4). */
const newExternalUserId = Type.String({
  ...externalUserId,
  not: { enum: ['.', '..'] },
  errorText: 'must have 1 to 128 characters, none of them a control character, and be neither `.` nor `..`',
})

const q = lineOf(320, {
  description:
    'How `externalUserId` or `email` begins, in upper or lower case; or, without another filter, the whole `id` of an end-user.',
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
  description: 'Absolute https address, at most 2,048 characters.',
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
    description: 'The first step of onboarding. An end-user is known by your own `externalUserId`.',
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
      'With `q`, those found are listed by what was found of them, in the order of the alphabet; other filters look through the first 50,000 of these.',
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
    summary: 'Change an end-user',
    sdk: 'endUsers.update(at, body)',
    example: { body: () => ({ metadata: { plan: 'gold' } }) },
    audit: { none: 'an email address and labels: they give no right and move no money' },
    assistant: 'may',
    description:
      'Changes our record: what the provider holds is changed by the next `submit-kyc`. `metadata` is replaced as a whole; `email: null` removes the address. `type` can be changed until the provider knows the end-user.',
    body: endUserChange,
    data: endUser,
    errors: ['holder_not_found', 'end_user_type_fixed'],
    run: ({ deps, scope, params, body }) => updateEndUser(deps, scope, params.externalUserId, body),
  }),

  write('DELETE /v0/end-users/:externalUserId', {
    id: 'eraseEndUser',
    summary: 'Erase an end-user',
    sdk: 'endUsers.erase(at)',
    command: 'end-users erase',
    audit: ['end_user.erased'],
    description:
      'Removes what this service holds: the record, links, virtual accounts, deposits, and the content of events, whose ids, types and numbers stay. Refused while an account is active or suspended, money is on its way, or a request at the provider is open. What the provider holds stays with the provider. This cannot be undone.',
    data: deleted,
    errors: ['holder_not_found', 'end_user_in_use'],
    run: ({ deps, scope, params }) => eraseEndUser(deps, scope, params.externalUserId),
  }),

  onboarding.write('POST /v0/end-users/:externalUserId/tos-link', {
    id: 'createTosLink',
    summary: 'Generate a Terms of Service link',
    sdk: 'endUsers.createTosLink(at, body)',
    example: { body: () => ({}) },
    audit: { none: 'a link to a page; the provider records what is accepted there' },
    assistant: 'may',
    description:
      'Embed `tosLink` in an iframe and take `signedAgreementId` from the message it posts (check that its origin is the one of `tosLink`, which is `tosOrigin` of the end-user, too), or open it with a `redirectUri` and take `signed_agreement_id` from its query. A pending link is handed out again.',
    body: closed({ redirectUri: Type.Optional(redirectUri) }),
    data: tosLink,
    errors: ['not_offered', 'holder_not_found', 'invalid_redirect_uri', 'tos_link_in_progress', ...upstreamErrors],
    run: ({ deps, scope, params, body }) => createTosLink(deps, scope, params.externalUserId, body),
  }),
]
