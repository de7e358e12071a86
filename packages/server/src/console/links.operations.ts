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
    description: 'Until when the link can be opened: not longer than the key that made it lives.',
  },
}

const newLink = closed({
  scopes: Type.Array(apiKeyScope, {
    minItems: 1,
    maxItems: scopes.length,
    uniqueItems: true,
    description: 'What the session may do: no more than the calling key. With `api_keys:write` it may issue keys.',
  }),
  expiresInMinutes: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 60,
      default: expiresInMinutesDefault,
      description: 'How long the link can be opened.',
    }),
  ),
})

const { write, list } = operationsOf<ApiKeys>('Console links', 'api_keys')

export const consoleLinkOperations = [
  list('GET /v0/console-links', {
    id: 'listConsoleLinks',
    summary: 'List links into the console, newest first',
    sdk: 'consoleLinks.list(query)',
    description: 'A link is listed until a day after its end. The links themselves are not shown again.',
    items: named('ListedConsoleLink', {
      ...link,
      apiKeyId: idOf('apiKey', { description: 'The key that made the link.' }),
      createdAt: isoTime,
      usedAt: nullable({ ...isoTime, description: 'When it signed a browser in.' }),
      revokedAt: nullable(isoTime),
    }),
    run: ({ deps, scope, page }) => listConsoleLinks(deps, scope.business, page),
  }),

  write('POST /v0/console-links', {
    id: 'createConsoleLink',
    summary: 'Make a one-time link into the console',
    sdk: 'consoleLinks.create(body)',
    example: { body: () => ({ scopes: ['events:read'] }) },
    audit: ['console_link.created'],
    description:
      'The link signs one browser in, without an API key. Its session ends after 30 minutes without a request, after 12 hours, ' +
      'when the link is revoked, and with the key that made the link.',
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
    summary: 'Revoke a link into the console',
    sdk: 'consoleLinks.revoke(at, query)',
    command: 'console-links revoke',
    audit: ['console_link.revoked'],
    description: 'Ends the session that the link has opened as well. A link can be revoked until a day after its end.',
    query: withCreated,
    data: named('RevokedConsoleLink', { ...link, revokedAt: isoTime, alsoRevoked }),
    errors: ['console_link_not_found'],
    run: ({ deps, scope, params, query }) => revokeConsoleLink(deps, scope, params.id, query.withCreated),
  }),
]
