// One connection that hears notifications, and another whenever it is lost.

import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from './client.ts'

/** Hears what a notification carried; an empty text means that anything may have happened. */
export type Handlers = Readonly<Record<string, (payload: string) => void>>

const reconnectMs = 1_000

export type Listener = { close(): Promise<void> }

/**
 * Calls the handler of a channel at each notification, and all of them after each reconnect, because some may have
 * been missed.
 * @param open rejects when the database is away
 * @returns once it listens for the first time; rejects when it can not
 */
export async function startListener(open: () => Promise<Client>, handlers: Handlers): Promise<Listener> {
  const closing = new AbortController()
  const closed = new Promise<never>((_, reject) =>
    closing.signal.addEventListener('abort', () => reject(new Error('closed'))),
  )
  closed.catch(() => {})

  /** A database that says nothing can not keep us from closing. */
  const connect = async (): Promise<{ client: Client; lost: Promise<void> }> => {
    const opening = open().then(async (client) => {
      if (closing.signal.aborted) await client.close()
      return client
    })
    const client = await Promise.race([opening, closed]).catch((error: unknown) => {
      opening.catch(() => {})
      throw error
    })
    try {
      const { promise: lost, resolve } = Promise.withResolvers<void>()
      client.onLost(resolve)
      client.onNotification((channel, payload) => handlers[channel]?.(payload))
      const listen = Object.keys(handlers).map((channel) => `listen ${client.query.names(channel).text}`)
      await Promise.race([client.query.unsafe(listen.join('; ')), closed])
      return { client, lost }
    } catch (error) {
      await client.close()
      throw error
    }
  }

  const reconnect = async () => {
    for (;;) {
      await delay(reconnectMs, undefined, { signal: closing.signal })
      const connection = await connect().catch(() => null)
      if (closing.signal.aborted) await connection?.client.close()
      if (connection === null || closing.signal.aborted) continue // the wait above ends it
      for (const heard of Object.values(handlers)) heard('')
      return connection
    }
  }

  const keepListening = async (): Promise<void> => {
    let connection = first
    while (!closing.signal.aborted) {
      await Promise.race([connection.lost, closed.catch(() => {})])
      await connection.client.close()
      if (!closing.signal.aborted) connection = await reconnect()
    }
    await connection.client.close()
  }

  const first = await connect()
  const ended = keepListening().catch(() => {}) // only `reconnect` rejects, when we close
  return {
    async close() {
      closing.abort()
      await ended
    },
  }
}
