// The one connection to Redis: kept up in the background, never waited for longer than a request can spare. While Redis is
// away or hangs, every use is refused at once; whoever uses it must have another way.

import type { RedisClientType } from '@redis/client'
import type { Log } from '../../observe/log.ts'
import { unsharedLimits } from '../../observe/metrics.ts'

/** How long one request waits for Redis. In the network of a deployment it answers within 1 to 2 ms. */
const answerMsMax = 75
/** While Redis hangs it is asked this often whether it is back, beside the requests. */
const probeMs = 250
/** A Redis that answers and refuses is complained of this often. */
const refusalQuietMs = 60_000
/** The longest a start waits for the connection, so that the first requests are counted together already. */
const connectMsMax = 1_000

/** The commands that counting needs, in the shape that rate-limiter-flexible calls them by. */
export type RedisCommands = {
  eval(script: string, parameters: { keys: string[]; arguments: string[] }): Promise<unknown>
  multi(): RedisBatch
}
export type RedisBatch = { get(key: string): RedisBatch; pTTL(key: string): RedisBatch; exec(): Promise<unknown> }

export type Redis = { commands: RedisCommands; close(): void }

/** Resolves when Redis answers, or when it is clear that it is away: that is no reason not to start. */
export async function connectRedis(url: string, log: Log): Promise<Redis> {
  // Loading it takes 130 ms and 25 MB, for those only who use it.
  const { createClient, ErrorReply } = await import('@redis/client')
  const client = createClient({
    url,
    // What can not be sent now is answered by other means now, and must not be counted later.
    disableOfflineQueue: true,
    commandsQueueMaxLength: 20_000,
    // A peer that is silent for so long, pings included, is dropped and dialled anew: its host may be gone.
    pingInterval: 2_000,
    socket: {
      connectTimeout: 2_000,
      socketTimeout: 6_000,
      reconnectStrategy: (tries) => Math.min(500, 50 * 2 ** tries),
    },
  }) as RedisClientType
  const gate = openGate(client, log, (error) => error instanceof ErrorReply)
  await Promise.race([gate.settled, new Promise((late) => setTimeout(late, connectMsMax).unref())])
  return {
    commands: {
      eval: (script, parameters) => gate.pass(() => client.eval(script, parameters)),
      multi: () => batchOf(client, gate.pass),
    },
    close() {
      gate.close()
      client.destroy()
    },
  }
}

/** How long somebody waits who only wants to know whether Redis is there. */
const probeMsMax = 3_000

/** Asks Redis once, on a connection of its own. @returns null when it answers, else why not: a code, never what is in the URL */
export async function faultOfRedis(url: string): Promise<string | null> {
  const { createClient, ErrorReply } = await import('@redis/client')
  const socket = { connectTimeout: probeMsMax, socketTimeout: probeMsMax, reconnectStrategy: false } as const
  const client = createClient({ url, socket })
  client.on('error', () => {}) // `connect` rejects with it
  try {
    await client.connect()
    await client.ping()
    return null
  } catch (error) {
    if (error instanceof ErrorReply) return error.message.split(' ', 1)[0] ?? 'an error'
    return error instanceof Error && 'code' in error ? String(error.code) : 'no answer of Redis'
  } finally {
    if (client.isOpen) client.destroy()
  }
}

type Pass = <T>(use: () => Promise<T>) => Promise<T>

function batchOf(client: RedisClientType, pass: Pass): RedisBatch {
  const steps = client.multi()
  const batch: RedisBatch = {
    get(key) {
      steps.get(key)
      return batch
    },
    pTTL(key) {
      steps.pTTL(key)
      return batch
    },
    exec: () => pass(() => steps.execAsPipeline()),
  }
  return batch
}

type Gate = { pass: Pass; settled: Promise<void>; close(): void }

/**
 * Lets uses through while Redis answers. The first that is not answered in time closes it, an answered ping opens it.
 * @param isReply whether an error is an answer: Redis is there, and refuses (no memory left, a read-only copy, a cluster)
 */
function openGate(client: RedisClientType, log: Log, isReply: (error: unknown) => boolean): Gate {
  let state: 'unknown' | 'present' | 'away' | 'closed' = 'unknown'
  let probing = false
  let probeAfter = 0
  let refusalSaidAt = Number.NEGATIVE_INFINITY
  const { promise: settled, resolve: settle } = Promise.withResolvers<void>()

  const present = (): void => {
    if (state === 'away') log.info('Redis is back: limits are counted for all replicas together')
    if (state !== 'closed') state = 'present'
    settle()
  }
  const away = (err: unknown): void => {
    if (state === 'closed' || state === 'away') return
    state = 'away'
    log.warn({ err }, 'Redis is away: until it is back, this process counts limits by itself')
    settle()
  }
  const refused = (err: unknown): void => {
    if (performance.now() - refusalSaidAt < refusalQuietMs) return
    refusalSaidAt = performance.now()
    log.warn({ err }, 'Redis refuses to count: this process counts limits by itself')
  }
  const probe = (): void => {
    if (probing || performance.now() < probeAfter) return
    probing = true
    probeAfter = performance.now() + probeMs
    const done = (): void => {
      probing = false
    }
    client
      .ping()
      .then(present, () => {})
      .finally(done)
  }

  client.on('ready', present)
  client.on('error', away)
  client.connect().catch(away)
  return {
    settled,
    async pass(use) {
      if (state === 'present' && client.isReady) {
        try {
          return await inTime(use())
        } catch (error) {
          if (isReply(error)) refused(error)
          else away(error)
          unsharedLimits.inc()
          throw error
        }
      }
      if (client.isReady) probe()
      unsharedLimits.inc()
      throw new Error('Redis is away')
    },
    close: () => {
      state = 'closed'
    },
  }
}

/** The answer, or a failure when it takes too long. What comes later is ignored. */
function inTime<T>(answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    // After a stall of this process the timer is looked at before the network: what has arrived meanwhile counts.
    const giveUp = (): void => void setImmediate(reject, new Error(`no answer of Redis within ${answerMsMax} ms`))
    const timer = setTimeout(giveUp, answerMsMax)
    answer.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
