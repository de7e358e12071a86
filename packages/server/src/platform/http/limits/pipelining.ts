// Requests that come on a connection before the last one was taken off it wait for that: their answers go out in order anyway.
// Otherwise one packet of a caller who reads nothing asks for more than a thousand answers, all of which are made and kept.

import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { App } from '../app.ts'

const latest = Symbol('latest answer')
// On the connection itself: to find it in a table of connections costs more, in the search and in each collection of garbage.
type Connection = Socket & { [latest]?: ServerResponse }

/** The first of all hooks: nothing is done for a request before its turn, and nothing at all once its caller has left. */
export function answerOneByOne(app: App): void {
  app.addHook('onRequest', (request, reply, done) => {
    const socket = request.raw.socket as Connection
    const before = socket[latest]
    socket[latest] = reply.raw
    if (before === undefined || before.writableFinished) return done()
    before.once('close', () => {
      if (!socket.destroyed) done()
    })
  })
}
