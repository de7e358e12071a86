// Limits connections, in total and per address, so that one caller cannot shut others out. Also limits responses per
// connection: the next is created when the caller has read the last.

import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { compile } from '@fastify/proxy-addr'
import type { Config } from '../../config.ts'
import type { App } from '../app.ts'
import { connectionsMax } from '../limits.ts'
import { networkOf } from './rate-limit.ts'

/** Above this part of the limit, connections without a request in progress are closed, at most once a second. */
const idleFrom = 3 / 4
const idleCheckMs = 1_000

/** Rejects connections beyond the limits, and closes idle ones when there are many. */
export function boundConnections(app: App, { trustProxy, connectionsPerAddress }: Config): void {
  const { server } = app
  server.maxConnections = connectionsMax
  // Behind a proxy, all callers have the proxy's address. `TRUST_PROXY=true` names no address: every connection is the
  // proxy's.
  const isProxy = typeof trustProxy === 'boolean' ? () => trustProxy : compile([...trustProxy])
  const byAddress = new Map<string, number>()
  let [total, lookedMs] = [0, 0]
  const makeRoom = (): void => {
    if (total < server.maxConnections * idleFrom || performance.now() - lookedMs < idleCheckMs) return
    lookedMs = performance.now()
    server.closeIdleConnections()
  }
  // A connection beyond `maxConnections` emits only this event, no `connection`.
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
 * Delays a request until the previous response on its connection was read. Otherwise a caller that reads nothing could
 * make the server create and keep over a thousand responses with one packet. Must be the first hook, so that nothing
 * runs before it.
 */
export function answerOneByOne(app: App): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { socket } = request.raw
    const before = latestAnswers.get(socket)
    latestAnswers.set(socket, reply.raw)
    if (before === undefined || before.writableFinished) return done()
    before.once('close', () => {
      // At most one per turn of the event loop: the 1,900 requests of 64 KiB take 80 ms, and others would wait for them.
      setImmediate(() => {
        if (!socket.destroyed) done()
      })
    })
  })
}

/** Returns whether a response on this connection has begun and not ended: nothing else may be written in between. */
export function isAnswering(socket: Socket): boolean {
  const latest = latestAnswers.get(socket)
  // A response that is queued behind another has no socket yet.
  return latest !== undefined && !latest.writableFinished && (latest.headersSent || latest.socket === null)
}
