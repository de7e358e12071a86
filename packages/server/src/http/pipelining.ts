// Requests that come on a connection before the last one was taken off it wait for that: their answers go out in order anyway.
// Otherwise one packet of a caller who reads nothing asks for more than a thousand answers, all of which are made and kept.

import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { App } from './app.ts'

/** The first of all hooks: nothing is done for a request before its turn, and nothing at all once its caller has left. */
export function answerOneByOne(app: App): void {
  const latest = new WeakMap<Socket, ServerResponse>()
  app.addHook('onRequest', (request, reply, done) => {
    const { socket } = request.raw
    const before = latest.get(socket)
    latest.set(socket, reply.raw)
    if (before === undefined || before.writableFinished) return done()
    before.once('close', () => {
      if (!socket.destroyed) done()
    })
  })
}
