// A TCP proxy that misbehaves as a network does, on command: between the server and its database, its provider, or the
// receivers of its events. Faults hold for the whole line, switched at run time; or for single connections.

import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { ProxiedConnection, type StrikesCommit } from './connection.ts'
import type { Fault } from './faults.ts'

export type Address = { host: string; port: number }

export type FaultProxy = AsyncDisposable & {
  host: string
  port: number
  /** `http://` and this proxy's address. */
  origin: string
  /**
   * From now on this fault, for the connections there are and those that come.
   * @param which `new`: open connections continue unchanged. `standing`: new connections have no fault
   */
  set(fault: Fault, which?: 'all' | 'new' | 'standing'): Promise<void>
  /** Ends the fault. Connections that lost bytes are reset. */
  heal(): Promise<void>
  /** Open connections, the oldest first. Each can get its own fault. */
  connections(): readonly ProxiedConnection[]
  /** How often a fault has cost somebody bytes or a connection since the last `set`. */
  struck(): number
}

export type ProxyOptions = {
  /** Asked at each connection. A host that begins with `/` is a directory of PostgreSQL's sockets. */
  target: () => Address
  speaksPostgres?: boolean
}

const host = '127.0.0.1'
// Below the range from which systems pick ports, so nobody else gets the port while nobody listens.
const ports = { from: 10_240, to: 32_000 }
const listenTriesMax = 200
const listenPauseMs = 25

export async function openFaultProxy({ target, speaksPostgres = false }: ProxyOptions): Promise<FaultProxy> {
  const standing = new Map<ProxiedConnection, readonly Socket[]>()
  let forNew: Fault | null = null
  let struck = 0
  let commitsLeft = 0

  const strikesCommit: StrikesCommit = ({ of }, transaction) => {
    if (commitsLeft === 0 || (of !== undefined && !transaction.some((text) => text.includes(of)))) return false
    commitsLeft -= 1
    return true
  }
  const accept = (client: Socket): void => {
    const { host, port } = target()
    const to = host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port }
    const server = connect({ ...to, allowHalfOpen: true })
    const note = () => {
      struck += 1
    }
    const connection = new ProxiedConnection(client, server, { speaksPostgres, strikesCommit, struck: note })
    const sockets = [client, server]
    standing.set(connection, sockets)
    for (const socket of sockets)
      socket.on('close', () => sockets.every(({ destroyed }) => destroyed) && standing.delete(connection))
    if (forNew) connection.set(forNew)
  }
  const server = createServer({ allowHalfOpen: true }, accept)
  const listener = await openListener(server)

  const set = async (fault: Fault | null, which: 'all' | 'new' | 'standing'): Promise<void> => {
    struck = 0
    commitsLeft = fault?.kind === 'commit' ? (fault.times ?? 1) : 0
    if (which !== 'standing') {
      forNew = fault
      await listener.listen(fault?.kind !== 'refuse')
    }
    if (which !== 'new') for (const connection of [...standing.keys()]) connection.set(fault)
  }

  return {
    host,
    port: listener.port,
    origin: `http://${host}:${listener.port}`,
    set: (fault, which = 'all') => set(fault, which),
    heal: () => set(null, 'all'),
    connections: () => [...standing.keys()],
    struck: () => struck,
    async [Symbol.asyncDispose]() {
      await listener.listen(false)
      for (const sockets of standing.values()) for (const socket of sockets) socket.destroy()
    },
  }
}

type Listener = { port: number; listen(on: boolean): Promise<void> }

/** Closing leaves the connections as they are; opened again, it has the same port. */
async function openListener(server: ReturnType<typeof createServer>): Promise<Listener> {
  const listenAt = (port: number): Promise<boolean> => {
    const { promise, resolve, reject } = Promise.withResolvers<boolean>()
    const fail = (error: NodeJS.ErrnoException) => (error.code === 'EADDRINUSE' ? resolve(false) : reject(error))
    server.once('error', fail)
    server.listen({ host, port }, () => {
      server.off('error', fail)
      resolve(true)
    })
    return promise
  }
  const drawn = (): number => ports.from + Math.floor(Math.random() * (ports.to - ports.from))
  let port = drawn()
  for (let tries = 1; !(await listenAt(port)); tries++, port = drawn())
    if (tries === listenTriesMax) throw new Error('no port is free for a fault proxy')
  return {
    port,
    async listen(on) {
      if (on === server.listening) return
      if (!on) return void server.close()
      for (let tries = 1; !(await listenAt(port)); tries++, await delay(listenPauseMs))
        if (tries === listenTriesMax) throw new Error(`port ${port} was taken meanwhile`)
    },
  }
}
