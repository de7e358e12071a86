// Links into the console, which a business makes by the API.

import { Type } from 'typebox'
import { alsoRevoked, withCreated } from '../businesses/schema.ts'
import type { App } from '../platform/http/app.ts'
import { scopes } from '../platform/http/caller.ts'
import { businessRoutes } from '../platform/http/route.ts'
import { closed, idOf, isoTime, named, nullable, oneOf } from '../platform/http/schema/schema.ts'
import { createConsoleLink, listConsoleLinks, revokeConsoleLink } from './links.ts'

const expiresInMinutesDefault = 10

const scope = oneOf('ApiKeyScope', scopes)

const link = {
  id: idOf('consoleLink'),
  scopes: Type.Array(scope),
  expiresAt: {
    ...isoTime,
    description: 'Until when the link can be opened: not longer than the key that made it lives.',
  },
}

const newLink = closed({
  scopes: Type.Array(scope, {
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

export function consoleLinkRoutes(app: App): void {
  const { route, list } = businessRoutes(app, 'Console links', 'api_keys')

  list('GET /v0/console-links', {
    id: 'listConsoleLinks',
    summary: 'List links into the console, newest first',
    description: 'A link is listed until a day after its end. The links themselves are not shown again.',
    items: named('ListedConsoleLink', {
      ...link,
      apiKeyId: idOf('apiKey', { description: 'The key that made the link.' }),
      createdAt: isoTime,
      usedAt: nullable({ ...isoTime, description: 'When it signed a browser in.' }),
      revokedAt: nullable(isoTime),
    }),
    run: ({ deps, business, page }) => listConsoleLinks(deps, business, page),
  })

  route('POST /v0/console-links', {
    id: 'createConsoleLink',
    summary: 'Make a one-time link into the console',
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
    run: ({ deps, business, body: { expiresInMinutes = expiresInMinutesDefault, scopes }, request }) =>
      createConsoleLink(deps, business, { scopes, expiresInMinutes }, request.server.origin),
  })

  route('DELETE /v0/console-links/:id', {
    id: 'revokeConsoleLink',
    summary: 'Revoke a link into the console',
    description: 'Ends the session that the link has opened as well. A link can be revoked until a day after its end.',
    query: withCreated,
    data: named('RevokedConsoleLink', { ...link, revokedAt: isoTime, alsoRevoked }),
    errors: ['console_link_not_found'],
    run: ({ deps, business, params, query }) => revokeConsoleLink(deps, business, params.id, query.withCreated),
  })
}
