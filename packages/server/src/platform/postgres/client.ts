// Connections to PostgreSQL with node-postgres: a single connection or a pool.

import { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { connectToOne, Hosts, requireRole } from './connecting/hosts.ts'
import type { Query } from './query.ts'
import { ConnectionError, isServerError, type Parameters, type ServerError, Session, settingSql } from './session.ts'

export type ConnectionOptions = { host: string; port: number; username: string; password: string; database: string }

/** `url`: as `readAddresses` reads it, possibly with several hosts. */
export type Target = { url: string } | ConnectionOptions

/** A promise, if the database is still starting. */
export type ComingTarget = Target | Promise<Target>

export type ConnectionSettings = {
  applicationName: string
  /** Set after connecting: a pooler rejects them as start-up `options`. */
  parameters?: Parameters
}

/** Timeout for checking a new connection, and for a place in a full pool. */
const waitMsMax = 10_000
const idleMs = 60_000
const closeMs = 1_000
const int8 = 20

function configOf(hosts: Hosts, settings: ConnectionSettings, sockets: Set<Socket>): pg.ClientConfig {
  const { at } = hosts
  return {
    ...hosts.config,
    application_name: settings.applicationName,
    keepAlive: true,
    keepAliveInitialDelayMillis: idleMs,
    pipeline: true,
    // bigint columns hold counters far below 2^53.
    types: {
      getTypeParser: ((oid: number, format: 'text') =>
        oid === int8 ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
    },
    stream() {
      const socket = new Socket()
      sockets.add(socket)
      // At once: the pool opens connections for waiting callers before it reports the failure of this one.
      socket.once('error', () => hosts.leave(at))
      socket.once('close', () => sockets.delete(socket))
      return socket
    },
  }
}

export type Pool = {
  /**
   * Takes a connection for one use: `Session.end` returns it.
   * @param businessId limits the session to rows of this business; null for all
   * @throws ConnectionError, or ServerError: the database refuses the connection
   */
  take(businessId: string | null): Promise<Session>
  close(): Promise<void>
}

export type PoolSettings = ConnectionSettings & {
  max: number
  /** A connection is given up after this long without a response to a statement. */
  silenceMs: number
  /** Whether a pooler is in front: it keeps neither settings nor prepared statements between transactions. */
  isPooled?: boolean
  /** Called after each write that PostgreSQL has committed. */
  onWrite: () => void
  /** Receives each error of PostgreSQL in response to a statement or a new connection. */
  onError?: (error: ServerError) => void
}

/** Opens a pool of at most `max` connections. */
export function openPool(target: ComingTarget, settings: PoolSettings): Pool {
  const { silenceMs, onWrite, onError, parameters = {}, isPooled = false } = settings
  const pooled = isPooled ? parameters : undefined
  const sockets = new Set<Socket>()
  const settling = new WeakMap<pg.ClientBase, Promise<unknown>>()
  // Sent at once without waiting: the first statement follows directly. Only the check of the server's role comes
  // first.
  const settle = (client: pg.ClientBase, hosts: Hosts): Promise<void> | undefined => {
    if (!isPooled) {
      const answer = client.query(settingSql('set', parameters).join('; '))
      answer.catch(() => {}) // reported to the first statement
      settling.set(client, answer)
    }
    return hosts.role === 'any' ? undefined : requireRole(client, hosts.role, waitMsMax)
  }
  const coming = Promise.resolve(target).then((target) => {
    const hosts = new Hosts(target)
    const pool = new pg.Pool({
      max: settings.max,
      connectionTimeoutMillis: waitMsMax,
      idleTimeoutMillis: idleMs,
      onConnect: (client) => settle(client, hosts),
      Client: class extends pg.Client {
        constructor() {
          super(configOf(hosts, settings, sockets))
        }
      },
    })
    // Without listeners, the loss of a connection would end the process. The next statement reports the loss to its
    // caller.
    pool.on('error', () => {})
    pool.on('connect', (client) => client.on('error', () => {}))
    return { pool, hosts }
  })
  coming.catch(() => {}) // thrown at the first use
  return {
    async take(businessId) {
      const { pool, hosts } = await coming
      const client = await connectToOne(hosts, () => pool.connect()).catch((error: unknown) => {
        if (isServerError(error)) onError?.(error)
        return refuse(error)
      })
      const first = settling.get(client)
      settling.delete(client)
      const release = (isLost: boolean) => client.release(isLost)
      const use = { businessId, silenceMs, settling: first, pooled, onWrite, release }
      return new Session(client, onError ? { ...use, onError } : use)
    },
    async close() {
      const opened = await coming.catch(() => null)
      if (opened) await closed(opened.pool.end(), sockets)
    },
  }
}

function refuse(error: unknown): never {
  throw isServerError(error) ? error : new ConnectionError(error)
}

/** A connection whose database does not respond never ends: its socket is destroyed. */
async function closed(ended: Promise<void>, sockets: ReadonlySet<Socket>): Promise<void> {
  const grace = new AbortController()
  const isOver = ended.catch(() => {}).finally(() => grace.abort())
  await Promise.race([isOver, delay(closeMs, undefined, { signal: grace.signal }).catch(() => {})])
  for (const socket of sockets) socket.destroy()
}

export type Client = {
  query: Query
  /** The process ID that the server, or a pooler in front of it, has announced. */
  announcedPid: number | null
  /** Resolves when the connection has ended. */
  lost: Promise<void>
  onNotification(heard: (channel: string, payload: string) => void): void
  close(): Promise<void>
}

/**
 * Opens a single connection.
 * @param closing ends the connection, also while it is being opened
 * @throws ConnectionError, or ServerError: the database refuses the connection
 */
export async function openClient(target: Target, settings: ConnectionSettings, closing?: AbortSignal): Promise<Client> {
  const hosts = new Hosts(target)
  return await connectToOne(hosts, () => openTo(hosts, settings, closing)).catch(refuse)
}

async function openTo(hosts: Hosts, settings: ConnectionSettings, closing?: AbortSignal): Promise<Client> {
  const sockets = new Set<Socket>()
  const client = new pg.Client(configOf(hosts, settings, sockets))
  const { promise: lost, resolve } = Promise.withResolvers<void>()
  let announcedPid: number | null = null
  client.connection.once('backendKeyData', ({ processID }: { processID: number }) => {
    announcedPid = processID
  })
  client.on('error', () => resolve())
  client.on('end', () => resolve())
  // The driver never settles a connection that is ended while it is being opened.
  const destroy = () => {
    for (const socket of sockets) socket.destroy()
  }
  closing?.addEventListener('abort', destroy)
  void lost.then(() => closing?.removeEventListener('abort', destroy))
  try {
    await client.connect()
    if (hosts.role !== 'any') await requireRole(client, hosts.role, waitMsMax)
    if (settings.parameters) await client.query(settingSql('set', settings.parameters).join('; '))
  } catch (error) {
    // Not awaited: the driver may not report the end of a connection that was never opened.
    void client.end().catch(() => {})
    destroy()
    resolve()
    throw error
  }
  return {
    query: new Session(client).query,
    announcedPid,
    lost,
    onNotification: (heard) => void client.on('notification', ({ channel, payload }) => heard(channel, payload ?? '')),
    close: () => closed(client.end(), sockets),
  }
}
