// Links to the onboarding page, which a business makes for one end-user.

import { Type } from 'typebox'
import type { Core } from '../platform/core.ts'
import { operationsOf } from '../platform/http/operation.ts'
import { timeRange } from '../platform/http/schema/paging.ts'
import { anyId, closed } from '../platform/http/schema/schema.ts'
import { createOnboardingLink, listAllOnboardingLinks, listOnboardingLinks, revokeOnboardingLink } from './links.ts'
import { linkStatus, listedOnboardingLink, locale, newOnboardingLink, onboardingLink, rails } from './schema.rules.ts'

const redirectUri = Type.String({
  minLength: 1,
  errorCode: 'invalid_redirect_uri',
  description:
    'Where the page redirects the end-user at the end: an absolute `https` URL of at most 2,048 characters. `onboarding` is added to its query: `approved`, `pending` or `stopped`.',
})

const { write, list } = operationsOf<Core>('Onboarding', 'end_users')

export const onboardingLinkOperations = [
  write('POST /v0/end-users/:externalUserId/onboarding-links', {
    id: 'createOnboardingLink',
    summary: 'Create an onboarding link',
    sdk: 'onboarding.createLink(at, body)',
    command: 'onboarding-links create',
    example: { body: () => ({ rails: ['usd', 'cop'] }) },
    audit: ['onboarding_link.created'],
    description:
      'The onboarding page asks for the terms and the KYC data, shows the provider’s decision, and asks again for data that is missing or rejected. The sites in `embedOrigins` of the branding can embed the page in a frame. A new link replaces the previous one, which stops working.',
    body: closed({
      redirectUri: Type.Optional(redirectUri),
      rails: Type.Optional({ ...rails, default: ['usd'] }),
      locale: Type.Optional({
        ...locale,
        description: 'The language of the page. Default: the browser’s language, or English.',
      }),
      expiresInHours: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 72,
          default: 24,
          description: 'The number of hours until the link expires.',
        }),
      ),
    }),
    data: newOnboardingLink,
    errors: ['holder_not_found', 'invalid_redirect_uri', 'onboarding_not_needed'],
    run: ({ deps, scope, params, body, request }) =>
      createOnboardingLink(deps, scope, params.externalUserId, body, request.server.origin),
  }),

  list('GET /v0/end-users/:externalUserId/onboarding-links', {
    id: 'listOnboardingLinks',
    summary: 'List the onboarding links of an end-user, newest first',
    sdk: 'onboarding.links(at, query)',
    command: 'onboarding-links list',
    description: 'The links themselves are not shown again.',
    items: onboardingLink,
    errors: ['holder_not_found'],
    run: ({ deps, scope, params, page }) => listOnboardingLinks(deps, scope.business, params.externalUserId, page),
  }),

  list('GET /v0/onboarding-links', {
    id: 'listAllOnboardingLinks',
    summary: 'List the onboarding links of all end-users, newest first',
    sdk: 'onboarding.allLinks(query)',
    command: 'onboarding-links list-all',
    example: { query: () => ({ status: 'open' }) },
    unindexed: [['status'], ['createdBy']],
    description: 'Use this list after a leak: it shows which links an API key created, and which of them still work.',
    filters: {
      status: linkStatus,
      createdBy: { ...anyId, description: 'Only links that this API key or staff member created.' },
      ...timeRange,
    },
    items: listedOnboardingLink,
    run: ({ deps, scope, filter, page }) => listAllOnboardingLinks(deps, scope.business, filter, page),
  }),

  write('DELETE /v0/onboarding-links/:id', {
    id: 'revokeOnboardingLink',
    summary: 'Revoke an onboarding link',
    sdk: 'onboarding.revokeLink(at)',
    command: 'onboarding-links revoke',
    audit: ['onboarding_link.revoked'],
    description: 'A page that was opened with the link also stops working.',
    data: onboardingLink,
    errors: ['onboarding_link_not_found'],
    run: ({ deps, scope, params }) => revokeOnboardingLink(deps, scope, params.id),
  }),
]
