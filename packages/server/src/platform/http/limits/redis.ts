// The one connection to Redis. A use waits for at most 75 ms, and while Redis is away or hangs every use is refused at once:
// the limiter's insurance counts it. Nothing is queued or sent again meanwhile: a use that was counted elsewhere must not be
// counted later.

import { Redis as Client, type RedisOptions, ReplyError } from 'ioredis'
import type { Log } from '../../observe/log.ts'
import { unsharedLimits } from '../../observe/metrics.ts'
import { readRedisAddress, redisAddressRule } from './redis-address.ts'

/** How long one request waits for Redis. In the network of a deployment it answers within 1 to 2 ms. */
const answerMsMax = 75
/** A Redis that answers and refuses is logged this often. */
const refusalLogMs = 60_000
/** The longest a start waits for the connection, so that the first requests are counted together already. */
const connectMsMax = 1_000
const retryMs = (tries: number): number => Math.min(500, 50 * 2 ** tries)

/** The command that counting needs, in the shape that rate-limiter-flexible calls it by. */
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
  // A server that owes an answer for so long is left: its Sentinels may name a successor.
  socketTimeout: 1_500,
  disconnectTimeout: 500,
  retryStrategy: retryMs,
  sentinelRetryStrategy: retryMs,
  sentinelCommandTimeout: 500,
  // A copy that was the master refuses to write: its Sentinels know the successor.
  reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
} satisfies Options

type Presence = ReturnType<typeof logPresence>

/** Connects to Redis. Resolves when Redis answers, or when it is clear that it is away: that is no reason not to start. */
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

/** @throws RangeError when the address is none; `parseConfig` has refused such a one */
function openClient(url: string, options: Options): Client {
  const address = readRedisAddress(url)
  if (address === null) throw new RangeError(`REDIS_URL ${redisAddressRule}`)
  if (address.kind === 'server') return new Client(address.url, options)
  const { sentinels, master, database, tls, login, sentinelLogin } = address
  return new Client({
    ...options,
    ...{ sentinels: [...sentinels], name: master, db: database, ...login },
    // Sentinels know HELLO from 6.2 on only.
    protocol: 2,
    ...(sentinelLogin.username && { sentinelUsername: sentinelLogin.username }),
    ...(sentinelLogin.password && { sentinelPassword: sentinelLogin.password }),
    ...(tls && { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true }),
    updateSentinels: false,
  })
}

function commandsOf(client: Client, presence: Presence): RedisCommands {
  // Redis did not answer a use in time. Until it answers a ping on the same connection, or that is dropped, it is not asked.
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
        if (isHanging || client.status !== 'ready') throw new Error('Redis is away')
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
/** A code of the network, or the first word of a refusal. */
function codeOf(errors: readonly unknown[]): string {
  const codes = errors.map((error) => {
    if (!(error instanceof Error)) return undefined
    return 'code' in error ? String(error.code) : /^(?:Ready check failed: )?([A-Z]{3,}) /.exec(error.message)?.[1]
  })
  return codes.find((code) => code !== undefined) ?? 'no answer of Redis'
}

/** Why the Sentinels name no master. */
function sentinelFault(errors: readonly Error[]): string {
  const messages = errors.map(({ message }) => message)
  if (messages.some((message) => message.endsWith('invalid reply: null')))
    return 'the Sentinels watch no master of the name at the end of REDIS_URL'
  const code = messages
    .map((message) => /because ([A-Z]{3,})\b/.exec(message)?.[1])
    .find((found) => found !== undefined)
  if (code === undefined) return 'no Sentinel of REDIS_URL answers'
  const isLogin = ['NOAUTH', 'WRONGPASS', 'NOPERM'].includes(code)
  return `the Sentinels answer ${code}${isLogin ? ': give sentinel_password in REDIS_URL' : ''}`
}
