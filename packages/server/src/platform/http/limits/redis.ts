// The one connection to Redis. A use waits for at most 75 ms, and while Redis is away or hangs every use is refused at once:
// the limiter's insurance counts it. Nothing is queued meanwhile: a use that was counted elsewhere must not be counted later.

import { createClient, ErrorReply } from '@redis/client'
import type { Log } from '../../observe/log.ts'
import { unsharedLimits } from '../../observe/metrics.ts'
import { readRedisAddress, redisAddressRule } from './redis-address.ts'
import { type Client, connectMaster, followMaster, NoMaster } from './redis-sentinel.ts'

/** How long one request waits for Redis. In the network of a deployment it answers within 1 to 2 ms. */
const answerMsMax = 75
/** A Redis that answers and refuses is logged this often. */
const refusalLogMs = 60_000
/** The longest a start waits for the connection, so that the first requests are counted together already. */
const connectMsMax = 1_000

/** The command that counting needs, in the shape that rate-limiter-flexible calls it by. */
export type RedisCommands = {
  eval(script: string, parameters: { keys: string[]; arguments: string[] }): Promise<unknown>
}

export type Redis = { commands: RedisCommands; close(): void }

/** A peer that is silent for so long, pings included, is dropped and dialled anew: its host may be gone. */
const times = { pingInterval: 2_000, connectTimeout: 2_000, socketTimeout: 6_000 }

type Presence = ReturnType<typeof logPresence>
type Connection = { client(): Client | null; close(): void }

/** Connects to Redis. Resolves when Redis answers, or when it is clear that it is away: that is no reason not to start. */
export async function connectRedis(url: string, log: Log): Promise<Redis> {
  const presence = logPresence(log)
  const connected = Promise.withResolvers<void>()
  const ready = (): void => {
    presence.back()
    connected.resolve()
  }
  const connection = connect(url, { ...presence, ready })
  const giveUp = setTimeout(connected.resolve, connectMsMax)
  await connected.promise
  clearTimeout(giveUp)
  return { commands: commandsOf(connection, presence), close: connection.close }
}

/** @throws RangeError when the address is none; `parseConfig` has refused such a one */
function connect(url: string, presence: Presence & { ready(): void }): Connection {
  const address = readRedisAddress(url)
  if (address === null) throw new RangeError(`REDIS_URL ${redisAddressRule}`)
  if (address.kind === 'sentinels') return followMaster(address, times, presence)
  const { pingInterval, ...socket } = times
  const client = createClient({
    url: address.url,
    disableOfflineQueue: true,
    commandsQueueMaxLength: 20_000,
    pingInterval,
    socket: { ...socket, reconnectStrategy: (tries) => Math.min(500, 50 * 2 ** tries) },
  })
  client.on('ready', presence.ready)
  client.on('error', presence.away)
  client.connect().catch(presence.away)
  return {
    client: () => client,
    close() {
      client.off('error', presence.away).on('error', () => {})
      client.destroy()
    },
  }
}

function commandsOf(connection: Connection, presence: Presence): RedisCommands {
  // Redis did not answer a use in time. Until it answers a ping on the same connection, or that is dropped, it is not asked.
  let hanging: Client | null = null
  const wait = (client: Client): void => {
    if (hanging === client) return
    hanging = client
    const answered = client.ping().then(presence.back, () => {})
    void answered.finally(() => {
      if (hanging === client) hanging = null
    })
  }
  return {
    async eval(script, parameters) {
      const client = connection.client()
      try {
        if (client === null || client === hanging || !client.isReady) throw new Error('Redis is away')
        return await inTime(client.eval(script, parameters))
      } catch (error) {
        unsharedLimits.inc()
        if (error instanceof ErrorReply) presence.refuses(error)
        else if (client !== null && error instanceof NoAnswer) {
          presence.away(error)
          wait(client)
        }
        throw error
      }
    },
  }
}

/** Logs each change once: away, back, and an answer that refuses (no memory left, a read-only copy, a cluster). */
function logPresence(log: Log) {
  let isAway = false
  let refusedAt = Number.NEGATIVE_INFINITY
  return {
    away(err: unknown): void {
      if (!isAway) log.warn({ err }, 'Redis is away: this process counts limits by itself')
      isAway = true
    },
    back(): void {
      if (isAway) log.info('Redis is back: limits are counted for all replicas together')
      isAway = false
    },
    refuses(err: Error): void {
      if (performance.now() - refusedAt < refusalLogMs) return
      refusedAt = performance.now()
      log.warn({ err }, 'Redis refuses to count: this process counts limits by itself')
    },
  }
}

class NoAnswer extends Error {}

/** @throws NoAnswer when the answer takes too long; what comes later is ignored */
function inTime<T>(answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    // After a stall of this process the timer is looked at before the network: what has arrived meanwhile counts.
    const giveUp = (): void => void setImmediate(reject, new NoAnswer(`no answer of Redis within ${answerMsMax} ms`))
    const timer = setTimeout(giveUp, answerMsMax)
    answer.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

/** How long somebody waits who only wants to know whether Redis is there. */
const probeMsMax = 3_000

/**
 * Asks Redis once, on a connection of its own.
 * @returns null when Redis answers, else why not: a code, never what is in the URL
 */
export async function faultOfRedis(url: string): Promise<string | null> {
  let client: Client | null = null
  try {
    client = await connectOnce(url)
    await client.ping()
    return null
  } catch (error) {
    if (error instanceof NoMaster) return error.message
    if (error instanceof ErrorReply) return error.message.split(' ', 1)[0] ?? 'an error'
    return error instanceof Error && 'code' in error ? String(error.code) : 'no answer of Redis'
  } finally {
    if (client?.isOpen) client.destroy()
  }
}

async function connectOnce(url: string): Promise<Client> {
  const socket = { connectTimeout: probeMsMax, socketTimeout: probeMsMax }
  const address = readRedisAddress(url)
  if (address?.kind === 'sentinels') return await connectMaster(address, socket)
  const client = createClient({ url, socket: { ...socket, reconnectStrategy: false } })
  client.on('error', () => {}) // `connect` rejects with it
  try {
    return await client.connect()
  } catch (error) {
    if (client.isOpen) client.destroy()
    throw error
  }
}
