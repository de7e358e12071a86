// Requests without a body, as most are: Node makes no stream for them that would have to end. Whoever names a media type all
// the same, as `curl -X POST -H 'content-type: application/json'` does, has an empty body of that type.

import { Readable } from 'node:stream'
import type { preParsingHookHandler } from 'fastify'
import type { App } from '../app.ts'

/** For `http.createServer`, from Node 24.12 on; an older one passes it over. */
export const withoutStream = { optimizeEmptyRequests: true }

/** A parser would wait for the end of a stream that has none. */
export function endEmptyBodies(app: App): void {
  const end: preParsingHookHandler = (request, _reply, payload, done) => {
    done(null, request.raw.readableEnded ? Readable.from([]) : payload)
  }
  app.addHook('onRoute', (route) => {
    if (route.method === 'GET' || route.method === 'HEAD') return
    route.preParsing = [end, ...[route.preParsing ?? []].flat()]
  })
}
