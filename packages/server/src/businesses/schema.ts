// The revocation of a credential with everything that was created with it, as the API describes it.

import { Type } from 'typebox'
import { closed, named } from '../platform/http/schema/schema.ts'

const ids = Type.Array(Type.String(), { description: 'IDs.' })

/** Lists the credentials and links that a revocation with `withCreated=true` also ended. */
export const alsoRevoked = Type.Optional(
  named(
    {
      title: 'AlsoRevoked',
      description:
        'What was created with the credential, directly or indirectly, and is revoked now. Only with `withCreated=true`.',
    },
    { apiKeys: ids, consoleLinks: ids, onboardingLinks: ids },
  ),
)
export const withCreated = closed({
  withCreated: Type.Boolean({
    default: false,
    description:
      'Also revoke everything that was created with it, directly or indirectly: API keys, console links with their sessions, and onboarding links. Then it may have been revoked before.',
  }),
})
