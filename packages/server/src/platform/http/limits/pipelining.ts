// Requests that come on a connection before the last one was taken off it wait for that: their answers go out in order anyway.
// Otherwise one packet of a caller who reads nothing asks for more than a thousand answers, all of which are made and kept.

import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { App } from '../app.ts'

const latestAnswers = new WeakMap<Socket, ServerResponse>()

/** Makes a request wait for the answer before it; must be the first of all hooks, so that nothing is done before its turn. */
export function answerOneByOne(app: App): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { socket } = request.raw
    const before = latestAnswers.get(socket)
    latestAnswers.set(socket, reply.raw)
    if (before === undefined || before.writableFinished) return done()
    before.once('close', () => {
      if (!socket.destroyed) done()
    })
  })
}

/** Tells whether an answer on this connection has begun and not ended: nothing else may be written between. */
export function isAnswering(socket: Socket): boolean {
  const latest = latestAnswers.get(socket)
  // An answer that waits behind another has no socket yet.
  return latest !== undefined && !latest.writableFinished && (latest.headersSent || latest.socket === null)
}
