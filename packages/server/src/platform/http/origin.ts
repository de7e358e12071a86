// Under which address this service is reached: needed for absolute links. What a caller writes into `Host` is never repeated: a
// cache in front could keep it for others.

import type { App } from './app.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Without a trailing slash; empty where it is not known, which makes of a link a relative reference. */
    origin: string
  }
}

const unspecified: ReadonlySet<string> = new Set(['0.0.0.0', '::'])

/** `PUBLIC_URL`, else the address it listens on, which a server that is being closed does not know any more. */
export function rememberOrigin(app: App, publicUrl: string | undefined): void {
  app.decorate('origin', publicUrl ?? '')
  app.addHook('onListen', (done) => {
    if (publicUrl === undefined) app.origin = listeningOrigin(app)
    done()
  })
}

function listeningOrigin(app: App): string {
  const listening = app.addresses().at(-1)
  if (!listening || typeof listening === 'string' || unspecified.has(listening.address)) return ''
  const host = listening.family === 'IPv6' ? `[${listening.address}]` : listening.address
  return `http://${host}:${listening.port}`
}
