// One connection that hears notifications, and another whenever it is lost: the driver's own listening gives up for good
// when the database is away for longer than its first attempt to come back.

import { setTimeout as delay } from 'node:timers/promises'

export type ListeningClient = {
  /** Starts listening on these channels; rejects when the database is away. */
  listen(channels: readonly string[]): Promise<void>
  close(): Promise<void>
}

/** Opens a client with one connection of its own. `lost` is called when that connection has ended. */
/** Hears what a notification carried; an empty text means that anything may have happened. */
export type Handlers = Readonly<Record<string, (payload: string) => void>>

export type OpenListeningClient = (events: {
  heard: (channel: string, payload: string) => void
  lost: () => void
}) => ListeningClient

const reconnectMs = 1_000

export type Listener = { close(): Promise<void> }

/**
 * Calls the handler of a channel at each notification, and all of them after each reconnect, because some may have
 * been missed.
 * @returns once it listens for the first time; rejects when it can not
 */
export async function startListener(open: OpenListeningClient, handlers: Handlers): Promise<Listener> {
  const closing = new AbortController()
  const closed = new Promise<void>((resolve) => closing.signal.addEventListener('abort', () => resolve()))

  const connect = async (): Promise<{ client: ListeningClient; lost: Promise<void> }> => {
    const { promise: lost, resolve } = Promise.withResolvers<void>()
    const client = open({ heard: (channel, payload) => handlers[channel]?.(payload), lost: resolve })
    try {
      // Towards a database that hangs up the driver tries for ever.
      await Promise.race([client.listen(Object.keys(handlers)), closed.then(() => Promise.reject(new Error('closed')))])
    } catch (error) {
      await client.close()
      throw error
    }
    return { client, lost }
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
      await Promise.race([connection.lost, closed])
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
