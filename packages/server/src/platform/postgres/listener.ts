// One connection that listens for notifications, replaced whenever it is lost.

import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from './client.ts'

/** Gets what a notification carried; an empty text means that anything may have happened. */
export type Handlers = Readonly<Record<string, (payload: string) => void>>

const reconnectMs = 1_000

export type Listener = { close(): Promise<void> }

type Connection = { client: Client; lost: Promise<void> }

/**
 * Calls the handler of a channel at each notification, and all of them after each reconnect, because some may have
 * been missed.
 * @param open rejects when the database is away
 * @returns once it listens for the first time
 * @throws what `open` does, at the first time
 */
export async function startListener(open: () => Promise<Client>, handlers: Handlers): Promise<Listener> {
  const closing = new AbortController()
  const { promise: closed, reject } = Promise.withResolvers<never>()
  closed.catch(() => {})
  closing.signal.addEventListener('abort', () => reject(new Error('closed')))

  /** Rejects at the close, whatever the database does. */
  const connect = async (): Promise<Connection> => {
    const opening = open()
    const client = await Promise.race([opening, closed]).catch((error: unknown) => {
      opening.then((late) => late.close()).catch(() => {})
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

  const reconnect = async (): Promise<Connection> => {
    for (;;) {
      await delay(reconnectMs, undefined, { signal: closing.signal })
      const connection = await connect().catch(() => null)
      if (!connection) continue // at the close the delay rejects
      for (const onNotify of Object.values(handlers)) onNotify('')
      return connection
    }
  }

  const keepListening = async (first: Connection): Promise<void> => {
    for (let connection = first; ; connection = await reconnect()) {
      await Promise.race([connection.lost, closed]).catch(() => {})
      await connection.client.close()
    }
  }

  const ended = keepListening(await connect()).catch(() => {}) // only `reconnect` rejects, at the close
  return {
    async close() {
      closing.abort()
      await ended
    },
  }
}
