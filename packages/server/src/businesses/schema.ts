// API keys, and the revocation of a credential with everything that was created with it, as the API describes them.

import { type Static, Type } from 'typebox'
import { scopes } from '../platform/http/caller.ts'
import { closed, idOf, isoTime, lineOf, named, nullable, oneOf } from '../platform/http/schema/schema.ts'

const ids = Type.Array(Type.String(), { description: 'IDs.' })

/** Lists the credentials and links that a revocation with `withCreated=true` also ended. */
export const alsoRevoked = Type.Optional(
  named(
    {
      title: 'AlsoRevoked',
      description:
        'What was created with the credential, directly or indirectly, and is now revoked. Only with `withCreated=true`.',
    },
    { apiKeys: ids, consoleLinks: ids, onboardingLinks: ids },
  ),
)

export const withCreated = closed({
  withCreated: Type.Boolean({
    default: false,
    description:
      'Also revoke everything that was created with the key, directly or indirectly: API keys, console links with their sessions, and onboarding links. With this option, the key may already be revoked.',
  }),
})

export const apiKeyScope = oneOf('ApiKeyScope', scopes)

export const apiKey = named('ApiKey', {
  id: idOf('apiKey'),
  name: Type.String(),
  lastFour: Type.String(),
  scopes: Type.Array(apiKeyScope),
  createdAt: isoTime,
  createdBy: Type.String({
    description: 'The ID of the API key or staff member that issued it, or `operator`.',
    examples: ['operator'],
  }),
  expiresAt: nullable(isoTime),
  lastUsedAt: nullable(isoTime),
  revokedAt: nullable(isoTime),
})

export const revokedKey = named('RevokedApiKey', { ...apiKey.properties, alsoRevoked })

export const issuedKey = named('IssuedApiKey', {
  ...apiKey.properties,
  key: Type.String({ description: 'The key itself. Only this response contains it.' }),
})
export const newKey = closed({
  name: Type.Optional(lineOf(100)),
  scopes: Type.Optional(
    Type.Array(apiKeyScope, {
      minItems: 1,
      maxItems: scopes.length,
      uniqueItems: true,
      description: 'Default: all scopes of the calling key.',
    }),
  ),
  expiresAt: Type.Optional(isoTime),
})

/** Reads the body of a new key for the services: with its time as a date. */
export function newKeyOf({ expiresAt, ...key }: Static<typeof newKey>) {
  return { ...key, ...(expiresAt !== undefined && { expiresAt: new Date(expiresAt) }) }
}
