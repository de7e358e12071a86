// Links to the onboarding page, which a business makes for one end-user.

import { Type } from 'typebox'
import type { Core } from '../platform/core.ts'
import { operationsOf } from '../platform/http/operation.ts'
import { timeRange } from '../platform/http/schema/paging.ts'
import { closed, idOf } from '../platform/http/schema/schema.ts'
import { createOnboardingLink, listAllOnboardingLinks, listOnboardingLinks, revokeOnboardingLink } from './links.ts'
import { linkStatus, listedOnboardingLink, locale, newOnboardingLink, onboardingLink, rails } from './schema.rules.ts'

const redirectUri = Type.String({
  minLength: 1,
  errorCode: 'invalid_redirect_uri',
  description:
    'Where the page leads at its end: an absolute https address, at most 2,048 characters. `onboarding` is added to its query: `approved`, `pending` or `stopped`.',
})

const { write, list } = operationsOf<Core>('Onboarding', 'end_users')

export const onboardingLinkOperations = [
  write('POST /v0/end-users/:externalUserId/onboarding-links', {
    id: 'createOnboardingLink',
    summary: 'Make a link by which an end-user onboards',
    sdk: 'onboarding.createLink(at, body)',
    command: 'onboarding-links create',
    example: { body: () => ({ rails: ['usd', 'cop'] }) },
    audit: ['onboarding_link.created'],
    description:
      'The page of the link asks for the terms and for the KYC data, shows where the provider’s decision stands, and asks again for what is missing or was rejected. It can be shown in a frame by the sites in `embedOrigins` of the branding. A new link ends the one before.',
    body: closed({
      redirectUri: Type.Optional(redirectUri),
      rails: Type.Optional({ ...rails, default: ['usd'] }),
      locale: Type.Optional({
        ...locale,
        description: 'The language of the page. By default that of the browser, or English.',
      }),
      expiresInHours: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 72, default: 24, description: 'How long the link can be used.' }),
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
    unindexed: [['status'], ['apiKeyId']],
    description: 'After a leak: which links an API key created, and which of them can still be opened.',
    filters: {
      status: linkStatus,
      apiKeyId: idOf('apiKey', { description: 'Only links that this API key created.' }),
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
    description: 'Ends the page that was opened by it as well.',
    data: onboardingLink,
    errors: ['onboarding_link_not_found'],
    run: ({ deps, scope, params }) => revokeOnboardingLink(deps, scope, params.id),
  }),
]
