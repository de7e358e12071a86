// For operators and machines: is it alive, is it ready, what does it measure.

import { fail } from '../../errors.ts'
import { metrics } from '../../observe/metrics.ts'
import type { Deps } from '../../services/deps.ts'
import type { App } from '../app.ts'

export function systemRoutes(app: App, deps: Deps): void {
  app.get('/healthz', { config: { auth: 'none' }, schema: { hide: true } }, () => ({ data: { status: 'ok' } }))

  app.get('/readyz', { config: { auth: 'none' }, schema: { hide: true } }, async () => {
    if (!(await deps.db.ping())) throw fail('database_unavailable', { retryAfterSeconds: 2 })
    return { data: { status: 'ready' } }
  })

  app.get('/metrics', { config: { auth: 'none' }, schema: { hide: true } }, async (_request, reply) => {
    reply.type(metrics.contentType)
    return await metrics.metrics()
  })
}
