// Links into the console, which a business makes by the API.

import { Type } from 'typebox'
import type { ApiKeys } from '../businesses/ports.ts'
import { alsoRevoked, apiKeyScope, withCreated } from '../businesses/schema.ts'
import { scopes } from '../platform/http/caller.ts'
import { operationsOf } from '../platform/http/operation.ts'
import { closed, idOf, isoTime, named, nullable } from '../platform/http/schema/schema.ts'
import { createConsoleLink, listConsoleLinks, revokeConsoleLink } from './links.ts'

const expiresInMinutesDefault = 10

const link = {
  id: idOf('consoleLink'),
  scopes: Type.Array(apiKeyScope),
  expiresAt: {
    ...isoTime,
    description: 'When the link expires: not after the key that created it.',
  },
}

const newLink = closed({
  scopes: Type.Array(apiKeyScope, {
    minItems: 1,
    maxItems: scopes.length,
    uniqueItems: true,
    description:
      'The scopes of the session, at most those of the calling key. With `api_keys:write` the session can issue keys.',
  }),
  expiresInMinutes: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 60,
      default: expiresInMinutesDefault,
      description: 'The number of minutes until the link expires.',
    }),
  ),
})

const { write, list } = operationsOf<ApiKeys>('Console links', 'api_keys')

export const consoleLinkOperations = [
  list('GET /v0/console-links', {
    id: 'listConsoleLinks',
    summary: 'List console links, newest first',
    sdk: 'consoleLinks.list(query)',
    description: 'A link is listed until one day after it ends. The links themselves are not shown again.',
    items: named('ListedConsoleLink', {
      ...link,
      apiKeyId: idOf('apiKey', { description: 'The key that created the link.' }),
      createdAt: isoTime,
      usedAt: nullable({ ...isoTime, description: 'When a browser signed in with the link.' }),
      revokedAt: nullable(isoTime),
    }),
    run: ({ deps, scope, page }) => listConsoleLinks(deps, scope.business, page),
  }),

  write('POST /v0/console-links', {
    id: 'createConsoleLink',
    summary: 'Create a one-time console link',
    sdk: 'consoleLinks.create(body)',
    example: { body: () => ({ scopes: ['events:read'] }) },
    audit: ['console_link.created'],
    errors: ['api_key_required'],
    description:
      'The link signs in one browser without an API key. Its session ends after 30 minutes without a request, after 12 hours, ' +
      'when the link is revoked, and when the key that created the link ends.',
    body: newLink,
    data: named('ConsoleLink', {
      ...link,
      url: Type.String({
        description: 'The link itself. Only this response contains it. It signs in the first browser that opens it.',
      }),
    }),
    run: ({ deps, scope, body: { expiresInMinutes = expiresInMinutesDefault, scopes }, request }) =>
      createConsoleLink(deps, scope, { scopes, expiresInMinutes }, request.server.origin),
  }),

  write('DELETE /v0/console-links/:id', {
    id: 'revokeConsoleLink',
    summary: 'Revoke a console link',
    sdk: 'consoleLinks.revoke(at, query)',
    command: 'console-links revoke',
    audit: ['console_link.revoked'],
    sensitive: true,
    description: 'Also ends the session that the link opened. You can revoke a link until one day after it ends.',
    query: withCreated,
    data: named('RevokedConsoleLink', { ...link, revokedAt: isoTime, alsoRevoked }),
    errors: ['console_link_not_found'],
    run: ({ deps, scope, params, query }) => revokeConsoleLink(deps, scope, params.id, query.withCreated),
  }),
]
