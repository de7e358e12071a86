// How many connections there may be: of all callers together, and of one address, so that nobody can shut the others out;
// and how many answers are made on one: the next when the last was taken.

import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { compile } from '@fastify/proxy-addr'
import type { Config } from '../../config.ts'
import type { App } from '../app.ts'
import { connectionsMax } from '../limits.ts'
import { networkOf } from './rate-limit.ts'

/** Above this part of the limit, connections on which no request is under way are closed, at most once in a second. */
const idleFrom = 3 / 4
const idleCheckMs = 1_000

/** Refuses connections beyond the limits, and closes idle ones where they become many. */
export function boundConnections(app: App, { trustProxy, connectionsPerAddress }: Config): void {
  const { server } = app
  server.maxConnections = connectionsMax
  // Behind a proxy all callers come from its address. `TRUST_PROXY=true` names none: every connection is the proxy's.
  const isProxy = typeof trustProxy === 'boolean' ? () => trustProxy : compile([...trustProxy])
  const byAddress = new Map<string, number>()
  let [total, lookedMs] = [0, 0]
  const makeRoom = (): void => {
    if (total < server.maxConnections * idleFrom || performance.now() - lookedMs < idleCheckMs) return
    lookedMs = performance.now()
    server.closeIdleConnections()
  }
  // A connection beyond `maxConnections` has no `connection` event, only this one.
  server.on('drop', makeRoom)
  server.on('connection', (socket: Socket) => {
    total++
    socket.once('close', () => total--)
    makeRoom()
    const { remoteAddress } = socket
    if (remoteAddress === undefined || isProxy(remoteAddress, 0)) return
    const address = networkOf(remoteAddress)
    const count = (byAddress.get(address) ?? 0) + 1
    if (count > connectionsPerAddress) return void socket.destroy()
    byAddress.set(address, count)
    socket.once('close', () => {
      const left = (byAddress.get(address) ?? 1) - 1
      if (left === 0) byAddress.delete(address)
      else byAddress.set(address, left)
    })
  })
}

const latestAnswers = new WeakMap<Socket, ServerResponse>()

/**
 * Makes a request wait until the answer before it on its connection was taken off it: a caller who reads nothing would have more
 * than a thousand answers made and kept by one packet. Must be the first of all hooks, so that nothing is done before its turn.
 */
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
