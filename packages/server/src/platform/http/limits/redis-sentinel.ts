// The master of a Redis that Sentinels watch: asked of all of them, connected to, and left when they name another one.
// The library's own Sentinel client holds a command back and repeats it until there is a master. A use that was counted
// elsewhere meanwhile must not be counted later, so commands go to a plain client, which refuses at once.

import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { createClient, ErrorReply, type RedisClientType } from '@redis/client'
import type { RedisSentinels } from './redis-address.ts'

export type Client = RedisClientType
type Node = { host: string; port: number }

/** How often the Sentinels are asked whether the master is still the master. */
const askMs = 1_000
/** A Sentinel that takes longer has no say this time. */
const answerMsMax = 500
const retryMsMax = 500

export type MasterTimes = { pingInterval?: number; connectTimeout: number; socketTimeout: number }

export type MasterConnection = {
  /** The client of the present master; null while none is known. */
  client(): Client | null
  close(): void
}

/** Keeps a connection to whichever server the Sentinels call the master. */
export function followMaster(
  address: RedisSentinels,
  times: MasterTimes,
  presence: { ready(): void; away(error: unknown): void },
): MasterConnection {
  const sentinels = connectSentinels(address)
  let current: Client | null = null
  let isOver = false
  /** Ends the waits of the loop: the connection is lost, or the process stops. */
  let lost = new AbortController()

  const follow = async (): Promise<void> => {
    const node = await sentinels.master()
    if (isOver) return
    const client = clientOf(address, node, times)
    lost = new AbortController()
    const { signal } = lost
    client.on('error', (error) => {
      if (isOver || current !== client) return
      presence.away(error)
      lost.abort()
    })
    current = client
    try {
      await client.connect()
      presence.ready()
      while (!signal.aborted) {
        await delay(askMs, null, { signal }).catch(() => {})
        // While no Sentinel answers, the master that serves is kept.
        const now = await sentinels.master().catch(() => node)
        if (now.host !== node.host || now.port !== node.port) return
      }
    } finally {
      current = null
      if (client.isOpen) client.destroy()
    }
  }
  const keep = async (): Promise<void> => {
    for (let tries = 0; !isOver; tries++) {
      const beganAt = performance.now()
      await follow().catch((error) => {
        if (!isOver) presence.away(error)
      })
      if (performance.now() - beganAt > askMs) tries = 0
      if (!isOver) await delay(Math.min(retryMsMax, 50 * 2 ** tries))
    }
  }
  void keep()

  return {
    client: () => current,
    close() {
      isOver = true
      lost.abort()
      sentinels.close()
      if (current?.isOpen) current.destroy()
    },
  }
}

/**
 * Asks the Sentinels once for the master, and connects to it.
 * @throws NoMaster
 */
export async function connectMaster(address: RedisSentinels, times: MasterTimes): Promise<Client> {
  const sentinels = connectSentinels(address)
  try {
    const client = clientOf(address, await sentinels.master(), times)
    client.on('error', () => {}) // `connect` rejects with it
    return await client.connect()
  } finally {
    sentinels.close()
  }
}

function clientOf({ tls, login, database }: RedisSentinels, node: Node, times: MasterTimes): Client {
  const { pingInterval, ...socket } = times
  return createClient({
    ...login,
    database,
    disableOfflineQueue: true,
    commandsQueueMaxLength: 20_000,
    ...(pingInterval === undefined ? {} : { pingInterval }),
    socket: { ...node, ...(tls ? { tls } : {}), ...socket, reconnectStrategy: false },
  })
}

/** Why the Sentinels name no master, for the operator: nothing that the address holds. */
export class NoMaster extends Error {}

type Sentinels = {
  /** @throws NoMaster */
  master(): Promise<Node>
  close(): void
}

function connectSentinels(address: RedisSentinels): Sentinels {
  const { sentinels, master } = address
  const clients = sentinels.map((node) => {
    const state: SentinelState = { client: sentinelClientOf(address, node), error: null }
    state.client.on('error', (error) => {
      state.error = error
    })
    state.client.connect().catch(() => {})
    return state
  })
  return {
    async master() {
      const answers = await Promise.allSettled(clients.map((state) => askSentinel(state, master)))
      const views = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
      // A Sentinel that was cut off tells of an older configuration.
      const [newest] = views.sort((a, b) => b.epoch - a.epoch)
      if (newest) return newest.node
      throw noMasterOf(answers.map((answer) => (answer.status === 'rejected' ? answer.reason : null)))
    },
    close() {
      for (const { client } of clients) if (client.isOpen) client.destroy()
    },
  }
}

type SentinelState = { client: ReturnType<typeof sentinelClientOf>; error: unknown }

function sentinelClientOf({ tls, sentinelLogin }: RedisSentinels, node: Node) {
  const reconnectStrategy = (tries: number) => Math.min(retryMsMax, 50 * 2 ** tries)
  const socket = { ...node, ...(tls ? { tls } : {}), connectTimeout: 2_000, socketTimeout: 6_000, reconnectStrategy }
  // Sentinels know HELLO from 6.2 on only, so they are spoken to in version 2.
  return createClient({ ...sentinelLogin, RESP: 2, disableClientInfo: true, pingInterval: 2_000, socket })
}

type View = { node: Node; epoch: number }

async function askSentinel(state: SentinelState, master: string): Promise<View> {
  const { client } = state
  const signal = AbortSignal.timeout(answerMsMax)
  if (!client.isReady) {
    await once(client, 'ready', { signal }).catch((error: unknown) => {
      throw state.error ?? error
    })
  }
  const late = once(signal, 'abort').then(() => Promise.reject(new Error('no answer of a Sentinel')))
  const answer = await Promise.race([client.sendCommand(['SENTINEL', 'MASTER', master]), late])
  return viewOf(answer)
}

/** Names and values in turn. @throws Error when the answer names no server */
function viewOf(answer: unknown): View {
  const words = Array.isArray(answer) ? answer.map(String) : []
  const fieldOf = (name: string): string => words[words.indexOf(name) + 1] ?? ''
  const node = { host: fieldOf('ip'), port: Number(fieldOf('port')) }
  if (!words.includes('ip') || !Number.isSafeInteger(node.port)) throw new Error('a Sentinel answered otherwise')
  return { node, epoch: Number(fieldOf('config-epoch')) || 0 }
}

function noMasterOf(reasons: readonly unknown[]): NoMaster {
  const refusal = reasons.find((reason) => reason instanceof ErrorReply)
  if (refusal?.message.startsWith('ERR No such master'))
    return new NoMaster('the Sentinels watch no master of the name at the end of REDIS_URL')
  if (refusal) {
    const [code = 'an error'] = refusal.message.split(' ', 1)
    const isLogin = ['NOAUTH', 'WRONGPASS', 'NOPERM'].includes(code)
    return new NoMaster(`the Sentinels answer ${code}${isLogin ? ': give sentinel_password in REDIS_URL' : ''}`)
  }
  const codes = reasons.map((reason) =>
    reason instanceof Error && 'code' in reason && reason.code !== 'ABORT_ERR' ? String(reason.code) : 'no answer',
  )
  return new NoMaster(`no Sentinel of REDIS_URL answers (${[...new Set(codes)].join(', ')})`)
}
