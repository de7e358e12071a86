// Handles requests that are rejected before their body is read completely. Cutting the connection would make the
// caller's network layer discard the response (RFC 9112, 9.6). So the rest is read and discarded: for a bounded time,
// and at one rate for the whole process.

import type { IncomingMessage } from 'node:http'
import { performance } from 'node:perf_hooks'
import type { App } from '../app.ts'
import type { RefusedBodyLimits } from '../limits.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Reads and discards the rest of a request that already has a response. Cuts the connection if that takes too long.
     */
    dropBody(request: IncomingMessage): void
  }
}

/** Adds `app.dropBody`. */
export function dropRefusedBodies(app: App, { lingerMs, atOnceBytes, bytesPerMs }: RefusedBodyLimits): void {
  let droppedUntilMs = 0
  app.decorate('dropBody', (request: IncomingMessage) => {
    let bytes = 0
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= atOnceBytes) return
      const nowMs = performance.now()
      droppedUntilMs = Math.max(nowMs, droppedUntilMs) + chunk.length / bytesPerMs
      const aheadMs = droppedUntilMs - nowMs
      if (aheadMs < 1) return
      request.pause()
      setTimeout(() => request.resume(), aheadMs).unref()
    })
    request.resume()
    const cut = setTimeout(() => request.socket.destroy(), lingerMs).unref()
    request.once('close', () => clearTimeout(cut))
  })
}
