// A wire between a server and its database that a test can cut, as a fail-over or a broken network does.

import type { AddressInfo } from 'node:net'
import { connect, createServer, type Socket } from 'node:net'
import type { ConnectionOptions } from '../src/platform/postgres/client.ts'

export type DatabaseLink = AsyncDisposable & {
  connection: ConnectionOptions
  /** Ends every connection; new ones are refused until `restore`. */
  cut(): void
  /** Cuts it at the next statement that holds these words, before the database has it. @returns when that has happened */
  cutAt(words: string): Promise<void>
  /** Drops all data silently, like a host that lost its power. */
  silence(): void
  /**
   * Drops data from the database on connections that listen for notifications, without closing them, like a router that
   * forgets a connection. @returns their number
   */
  deafen(): number
  restore(): void
  /** Connections that were refused while it was cut. */
  refused(): number
}

export async function databaseLink(target: ConnectionOptions): Promise<DatabaseLink> {
  const sockets = new Set<Socket>()
  const listening = new Set<Socket>()
  let isCut = false
  let isSilent = false
  let refused = 0
  let awaited: { words: string; heard: () => void } | null = null
  const upstream = () =>
    target.host.startsWith('/') ? connect(`${target.host}/.s.PGSQL.${target.port}`) : connect(target.port, target.host)
  const server = createServer((client) => {
    if (isCut) {
      refused += 1
      client.destroy()
      return
    }
    if (isSilent) {
      sockets.add(client.pause())
      return
    }
    const database = upstream()
    client.on('data', (bytes) => {
      if (String(bytes).includes('listen ')) listening.add(database)
      if (awaited && String(bytes).includes(awaited.words)) {
        cut()
        awaited.heard()
      }
    })
    database.on('close', () => listening.delete(database))
    for (const [one, other] of [
      [client, database],
      [database, client],
    ] as const) {
      sockets.add(one)
      one.on('error', () => {})
      one.on('close', () => {
        sockets.delete(one)
        other.destroy()
      })
      one.pipe(other)
    }
  })
  const cut = () => {
    isCut = true
    for (const socket of sockets) socket.destroy()
  }
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  return {
    connection: { ...target, host: '127.0.0.1', port },
    cut,
    cutAt: (words) =>
      new Promise((heard) => {
        awaited = { words, heard }
      }),
    silence: () => {
      isSilent = true
      for (const socket of sockets) socket.unpipe().pause()
    },
    deafen: () => {
      for (const database of listening) database.unpipe().pause()
      return listening.size
    },
    restore: () => {
      isCut = false
      awaited = null
    },
    refused: () => refused,
    async [Symbol.asyncDispose]() {
      cut()
      await new Promise((closed) => server.close(closed))
    },
  }
}
