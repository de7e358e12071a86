// One connection that listens for notifications, replaced whenever it is lost.

import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from '../client.ts'
import type { FollowsConnection, Handlers } from '../database.ts'

export type Listener = { close(): Promise<void> }

const reconnectMs = 1_000

/**
 * Calls the handler of a channel at each notification, and all of them after each reconnect, because some may have been missed.
 * @param open opens a connection that ends when the signal aborts; rejects if the database is unavailable
 * @param audience those who wait for some of the notifications
 * @returns once it listens for the first time
 * @throws what `open` does, at the first time
 */
export async function startListener(
  open: (closing: AbortSignal) => Promise<Client>,
  handlers: Handlers,
  audience?: FollowsConnection,
): Promise<Listener> {
  const closing = new AbortController()

  const connect = async (): Promise<Client> => {
    const client = await open(closing.signal)
    client.onNotification((channel, payload) => handlers[channel]?.(payload))
    const listen = Object.keys(handlers).map((channel) => `listen ${channel}`)
    try {
      await client.query.unsafe(listen.join('; '))
      audience?.moveTo(client)
      return client
    } catch (error) {
      await client.close()
      throw error
    }
  }

  const keepListening = async (first: Client): Promise<void> => {
    for (let client: Client | null = first; ; ) {
      await client?.lost
      audience?.moveTo(null)
      await client?.close()
      await delay(reconnectMs, undefined, { signal: closing.signal })
      client = await connect().catch(() => null)
      if (client) for (const onNotify of Object.values(handlers)) onNotify('')
    }
  }

  const ended = keepListening(await connect()).catch(() => {}) // only the delay rejects, at the close
  return {
    async close() {
      closing.abort()
      await ended
    },
  }
}
