// Under which address this service is reached: needed for absolute links. What a caller writes into `Host` is never repeated: a
// cache in front could keep it for others.

import type { FastifyInstance } from 'fastify'

const unspecified: ReadonlySet<string> = new Set(['0.0.0.0', '::'])

/**
 * `PUBLIC_URL`, else the address it listens on.
 * @returns without a trailing slash; empty where neither is known, which makes of a link a relative reference
 */
export function originOf(app: Pick<FastifyInstance, 'publicUrl' | 'addresses'>): string {
  if (app.publicUrl !== undefined) return app.publicUrl
  const listening = app.addresses().at(-1)
  if (!listening || typeof listening === 'string' || unspecified.has(listening.address)) return ''
  const host = listening.family === 'IPv6' ? `[${listening.address}]` : listening.address
  return `http://${host}:${listening.port}`
}
