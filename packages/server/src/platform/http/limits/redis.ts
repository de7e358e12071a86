// The one connection to Redis. A use waits at most 75 ms. While Redis is unavailable or hangs, every use is rejected at
// once and the limiter's insurance counts it. Nothing is queued or resent: a use that was counted elsewhere must not be
// counted later.

import { Redis as Client, type RedisOptions, ReplyError } from 'ioredis'
import type { Log } from '../../observe/log.ts'
import { unsharedLimits } from '../../observe/metrics.ts'
import { readRedisAddress, redisAddressRule } from './redis-address.ts'

/** How long one request waits for Redis, which responds within 1 to 2 ms inside a deployment's network. */
const answerMsMax = 75
/** How often refusals by a reachable Redis are logged. */
const refusalLogMs = 60_000
/** The longest a start waits for the connection, so that the first requests already use shared counters. */
const connectMsMax = 1_000
const retryMs = (tries: number): number => Math.min(500, 50 * 2 ** tries)

/** The command that counting needs, in the form that rate-limiter-flexible calls. */
export type RedisCommands = {
  eval(script: string, parameters: { keys: string[]; arguments: string[] }): Promise<unknown>
}

export type Redis = { commands: RedisCommands; close(): void }

type Options = Omit<RedisOptions, 'replyMapping'>

const counting = {
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  connectTimeout: 2_000,
  // A server without a response for this long is dropped: its Sentinels may name a successor.
  socketTimeout: 1_500,
  disconnectTimeout: 500,
  retryStrategy: retryMs,
  sentinelRetryStrategy: retryMs,
  sentinelCommandTimeout: 500,
  // A replica that was the master refuses writes: its Sentinels know the successor.
  reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
} satisfies Options

type Presence = ReturnType<typeof logPresence>

/**
 * Connects to Redis. Resolves when Redis responds, or when it is clearly unavailable: the server starts without Redis.
 */
export async function connectRedis(url: string, log: Log): Promise<Redis> {
  const presence = logPresence(log)
  const connected = Promise.withResolvers<void>()
  const client = openClient(url, counting)
  client.on('ready', () => {
    presence.back()
    connected.resolve()
  })
  client.on('error', presence.away)
  client.on('close', () => presence.away(new Error('the connection to Redis was closed')))
  const giveUp = setTimeout(connected.resolve, connectMsMax)
  await connected.promise
  clearTimeout(giveUp)
  const close = (): void => {
    client
      .removeAllListeners('close')
      .removeAllListeners('error')
      .on('error', () => {})
    client.disconnect()
  }
  return { commands: commandsOf(client, presence), close }
}

/** @throws RangeError if the URL is invalid; `parseConfig` has already rejected such a URL */
function openClient(url: string, options: Options): Client {
  const address = readRedisAddress(url)
  if (address === null) throw new RangeError(`REDIS_URL ${redisAddressRule}`)
  if (address.kind === 'server') return new Client(address.url, options)
  const { sentinels, master, database, tls, login, sentinelLogin } = address
  return new Client({
    ...options,
    ...{ sentinels: [...sentinels], name: master, db: database, ...login },
    // Sentinels support HELLO only from 6.2.
    protocol: 2,
    ...(sentinelLogin.username && { sentinelUsername: sentinelLogin.username }),
    ...(sentinelLogin.password && { sentinelPassword: sentinelLogin.password }),
    ...(tls && { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true }),
    updateSentinels: false,
  })
}

function commandsOf(client: Client, presence: Presence): RedisCommands {
  // Redis did not respond to a use in time. Until it responds to a ping on the same connection, or the connection
  // drops, it is not asked.
  let isHanging = false
  const wait = (): void => {
    if (isHanging) return
    isHanging = true
    const answered = client.ping().then(presence.back, () => {})
    void answered.finally(() => {
      isHanging = false
    })
  }
  return {
    async eval(script, parameters) {
      try {
        if (isHanging || client.status !== 'ready') throw new Error('Redis is unavailable')
        const { keys, arguments: args } = parameters
        return await inTime(client.eval(script, keys.length, ...keys, ...args))
      } catch (error) {
        unsharedLimits.inc()
        if (error instanceof Error && error instanceof ReplyError) presence.refuses(error)
        else if (error instanceof NoAnswer) {
          presence.away(error)
          wait()
        }
        throw error
      }
    },
  }
}

/** Logs each change once: unavailable, available, and a refusal (out of memory, read-only replica, cluster). */
function logPresence(log: Log) {
  let isAway = false
  let refusedAt = Number.NEGATIVE_INFINITY
  return {
    away(err: unknown): void {
      if (!isAway) log.warn({ err }, 'Redis unavailable, this process counts limits alone')
      isAway = true
    },
    back(): void {
      if (isAway) log.info('Redis available again, limits counted for all replicas')
      isAway = false
    },
    refuses(err: Error): void {
      if (performance.now() - refusedAt < refusalLogMs) return
      refusedAt = performance.now()
      log.warn({ err }, 'Redis rejected counting, this process counts limits alone')
    },
  }
}

class NoAnswer extends Error {}

/** @throws NoAnswer if the response takes too long; a late response is ignored */
function inTime<T>(answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    // After a stall of this process, timers run before network events. A response that has already arrived counts.
    const giveUp = (): void =>
      void setImmediate(reject, new NoAnswer(`no response from Redis within ${answerMsMax} ms`))
    const timer = setTimeout(giveUp, answerMsMax)
    answer.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

/** Timeout for a check that only asks whether Redis is reachable. */
const probeMsMax = 3_000

/**
 * Asks Redis once, on a separate connection.
 * @returns null if Redis responds, else the reason: a code, never a part of the URL
 */
export async function faultOfRedis(url: string): Promise<string | null> {
  const times = { connectTimeout: probeMsMax, commandTimeout: probeMsMax, socketTimeout: probeMsMax }
  const once = { retryStrategy: () => null, sentinelRetryStrategy: () => null }
  const client = openClient(url, { ...times, ...once, maxRetriesPerRequest: 0, lazyConnect: true })
  const errors: Error[] = []
  const sentinelErrors: Error[] = []
  client.on('error', (error: Error) => errors.push(error))
  client.on('sentinelError', (error: Error) => sentinelErrors.push(error))
  try {
    await client.ping()
    return null
  } catch (error) {
    const isMasterKnown = readRedisAddress(url)?.kind === 'server' || sentinelErrors.length === 0
    return isMasterKnown ? codeOf([...errors, error]) : sentinelFault(sentinelErrors)
  } finally {
    client.disconnect()
  }
}
/** A network error code, or the first word of a refusal. */
function codeOf(errors: readonly unknown[]): string {
  const codes = errors.map((error) => {
    if (!(error instanceof Error)) return undefined
    return 'code' in error ? String(error.code) : /^(?:Ready check failed: )?([A-Z]{3,}) /.exec(error.message)?.[1]
  })
  return codes.find((code) => code !== undefined) ?? 'no response from Redis'
}

/** The reason why the Sentinels name no master. */
function sentinelFault(errors: readonly Error[]): string {
  const messages = errors.map(({ message }) => message)
  if (messages.some((message) => message.endsWith('invalid reply: null')))
    return 'the Sentinels do not know the master name at the end of REDIS_URL'
  const code = messages
    .map((message) => /because ([A-Z]{3,})\b/.exec(message)?.[1])
    .find((found) => found !== undefined)
  if (code === undefined) return 'no Sentinel in REDIS_URL responds'
  const isLogin = ['NOAUTH', 'WRONGPASS', 'NOPERM'].includes(code)
  return `the Sentinels returned ${code}${isLogin ? ': give sentinel_password in REDIS_URL' : ''}`
}
