// Links to the provider's Terms of Service.

import { Type } from 'typebox'
import { type App, businessOf, depsOf } from '../platform/http/app.ts'
import { closed, dataOf, responses } from '../platform/http/schema/schema.ts'
import { endUserParams, tosStatus } from './schema.rules.ts'
import { createTosLink } from './tos-links.ts'

const tosLink = Type.Object(
  { tosLinkId: Type.String({ pattern: '^tos_link_[0-9a-z]{26}$' }), tosLink: Type.String(), tosStatus },
  { title: 'TosLink' },
)

export function tosLinkRoutes(app: App): void {
  app.post(
    '/v0/end-users/:externalUserId/tos-link',
    {
      config: { auth: 'business', scope: 'end_users:write' },
      schema: {
        operationId: 'createTosLink',
        summary: 'Generate a Terms of Service link',
        description:
          'Embed `tosLink` in an iframe and take `signedAgreementId` from the message it posts (check that its origin is the one of `tosLink`, which is `tosOrigin` of the end-user, too), or open it with a `redirectUri` and take `signed_agreement_id` from its query. A pending link is handed out again.',
        tags: ['Onboarding'],
        params: endUserParams,
        body: Type.Optional(
          closed({
            redirectUri: Type.Optional(
              Type.String({
                errorCode: 'invalid_redirect_uri',
                description: 'Absolute https address, at most 2,048 characters.',
              }),
            ),
          }),
        ),
        response: responses(
          dataOf(tosLink),
          'holder_not_found',
          'invalid_redirect_uri',
          'tos_link_in_progress',
          'provider_rejected',
          'provider_unavailable',
          'provider_timeout',
        ),
      },
    },
    async (request) => ({
      data: await createTosLink(
        depsOf(request),
        businessOf(request),
        request.params.externalUserId,
        request.body ?? {},
      ),
    }),
  )
}
