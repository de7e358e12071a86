// Routes for operators and machines: liveness, readiness, metrics, and the keys that sign events.

import type { ServerCore } from '../platform/core.ts'
import { fail } from '../platform/errors.ts'
import type { App } from '../platform/http/app.ts'
import type { Health } from '../platform/postgres/database.ts'
import { metricsRoute } from './metrics/routes.ts'

// Receivers cache the keys for this long; a rotation publishes a new key long before it signs.
const jwksMaxAgeSeconds = 300

const open = { config: { auth: 'none' } } as const

export function systemRoutes(app: App, deps: ServerCore): void {
  let lastHealth: Health = 'well'
  app.get('/healthz', open, () => ({ data: { status: 'ok' } }))

  app.get('/readyz', open, async () => {
    // A load balancer must stop sending requests before any part of this process stops.
    if (app.draining || app.closing) throw fail('shutting_down')
    const health = await deps.db.health()
    if (health !== lastHealth) deps.log.warn({ health, before: lastHealth }, 'database health changed')
    lastHealth = health
    if (health !== 'well') throw fail('database_unavailable', { retryAfterSeconds: 2 })
    return { data: { status: 'ready' } }
  })

  metricsRoute(app, deps)

  // Published even if `v1a` is off, so that receivers can prepare.
  app.get('/.well-known/jwks.json', open, (_request, reply) => {
    reply.type('application/jwk-set+json').header('cache-control', `public, max-age=${jwksMaxAgeSeconds}`)
    return { keys: deps.secrets.eventSigningKeys.map(({ publicKey }) => publicKey) }
  })
}
