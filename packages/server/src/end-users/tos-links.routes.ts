// Links to the provider's Terms of Service.

import { Type } from 'typebox'
import type { App } from '../platform/http/app.ts'
import { businessRoutes, upstreamErrors } from '../platform/http/route.ts'
import { closed } from '../platform/http/schema/schema.ts'
import { tosStatus } from './schema.rules.ts'
import { createTosLink } from './tos-links.ts'

const redirectUri = Type.String({
  errorCode: 'invalid_redirect_uri',
  description: 'Absolute https address, at most 2,048 characters.',
})
const tosLink = Type.Object(
  { tosLinkId: Type.String({ pattern: '^tos_link_[0-9a-z]{26}$' }), tosLink: Type.String(), tosStatus },
  { title: 'TosLink' },
)

export function tosLinkRoutes(app: App): void {
  const { route } = businessRoutes(app, 'Onboarding', 'end_users')

  route('POST /v0/end-users/:externalUserId/tos-link', {
    id: 'createTosLink',
    summary: 'Generate a Terms of Service link',
    description:
      'Embed `tosLink` in an iframe and take `signedAgreementId` from the message it posts (check that its origin is the one of `tosLink`, which is `tosOrigin` of the end-user, too), or open it with a `redirectUri` and take `signed_agreement_id` from its query. A pending link is handed out again.',
    body: closed({ redirectUri: Type.Optional(redirectUri) }),
    data: tosLink,
    errors: ['holder_not_found', 'invalid_redirect_uri', 'tos_link_in_progress', ...upstreamErrors],
    run: ({ deps, business, params, body }) => createTosLink(deps, business, params.externalUserId, body),
  })
}
