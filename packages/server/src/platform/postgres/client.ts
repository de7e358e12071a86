// Connections to PostgreSQL, by node-postgres: one by itself, or a pool of them. What is done on one stands in session.ts,
// what a failure means to a caller in db.ts.

import { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { beginFor } from './business-scope.ts'
import { type Query, queryOn, type Tx } from './query.ts'
import { ConnectionError, isServerError, type Scope, Session } from './session.ts'

export type ConnectionOptions = { host: string; port: number; username: string; password: string; database: string }

export type Target = { url: string } | ConnectionOptions

/** A database that is still coming up says where it is when it is there. */
export type ComingTarget = Target | Promise<Target>

export type ConnectionSettings = {
  applicationName: string
  /** Settings of the session, by name. */
  parameters?: Readonly<Record<string, string>>
  connectTimeoutMs?: number
}

const connectTimeoutMsMax = 10_000
const idleMs = 60_000
const closeMs = 1_000

const int8 = 20

function configOf(target: Target, settings: ConnectionSettings, sockets: Set<Socket>): pg.ClientConfig {
  const { host, port, username: user, password, database } = 'url' in target ? ({} as ConnectionOptions) : target
  const parameters = Object.entries(settings.parameters ?? {})
  return {
    ...('url' in target ? { connectionString: target.url } : { host, port, user, password, database, ssl: false }),
    application_name: settings.applicationName,
    options: parameters.map(([name, value]) => `-c ${name}=${value}`).join(' '),
    connectionTimeoutMillis: settings.connectTimeoutMs ?? connectTimeoutMsMax,
    keepAlive: true,
    keepAliveInitialDelayMillis: idleMs,
    // bigint columns hold counters far below 2^53.
    types: {
      getTypeParser: ((oid: number, format: 'text') =>
        oid === int8 ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
    },
    stream() {
      const socket = new Socket()
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
      return socket
    },
  }
}

export type Pool = {
  /** Runs it on a connection that nobody else has meanwhile; for one business if one is named. @throws ConnectionError, or ServerError */
  use<T>(work: (query: Query) => PromiseLike<T>, businessId?: string | null): Promise<T>
  /**
   * Commits what `work` did, or nothing. A lost answer to COMMIT is not tried again.
   * @param begin calls what it is given, and may give up on it after a while; `inTime` says whether it has not. A
   *   connection that comes too late does nothing: its caller has been answered
   */
  transaction<T>(work: (tx: Tx) => PromiseLike<T>, begin: Begin, businessId?: string | null): Promise<T>
  close(): Promise<void>
}

type Borrowed = { session: Session; query: Query; giveBack: () => void }
export type Begin = (start: (inTime: () => boolean) => Promise<Borrowed>) => Promise<Borrowed>

export function openPool(target: ComingTarget, settings: ConnectionSettings & { max: number }): Pool {
  const sockets = new Set<Socket>()
  const coming = Promise.resolve(target).then((target) => poolOf(target, settings, sockets))
  coming.catch(() => {}) // who uses it is told

  const borrow = async (scope: Scope): Promise<Borrowed> => {
    const pool = await coming
    const client = await pool.connect().catch((error: unknown) => {
      throw isServerError(error) ? error : new ConnectionError(error)
    })
    const session = new Session(client, scope)
    const giveBack = () => {
      session.isOver = true
      client.release(session.isLost)
    }
    return { session, query: queryOn(session.run), giveBack }
  }

  const start = async (inTime: () => boolean, businessId: string | null): Promise<Borrowed> => {
    const borrowed = await borrow(businessId === null ? null : { businessId, isTransaction: true })
    try {
      await borrowed.query.unsafe(businessId === null ? 'begin' : beginFor(businessId))
      if (!inTime()) throw new Error('the connection came too late')
      return borrowed
    } catch (error) {
      await rollBack(borrowed)
      throw error
    }
  }

  return {
    async use(work, businessId = null) {
      const { query, giveBack } = await borrow(businessId === null ? null : { businessId, isTransaction: false })
      try {
        return await work(query)
      } finally {
        giveBack()
      }
    },
    async transaction(work, begin, businessId = null) {
      const borrowed = await begin((inTime) => start(inTime, businessId))
      try {
        const result = await work(borrowed.query as Tx)
        const { command } = await borrowed.query.unsafe('commit')
        // So it answers when a statement had failed and `work` passed over that.
        if (command !== 'COMMIT') throw new Error('a failed statement was passed over')
        borrowed.giveBack()
        return result
      } catch (error) {
        await rollBack(borrowed)
        throw error
      }
    },
    async close() {
      const pool = await coming.catch(() => null)
      if (pool) await closed(pool.end(), sockets)
    },
  }
}

function poolOf(target: Target, settings: ConnectionSettings & { max: number }, sockets: Set<Socket>): pg.Pool {
  const pool = new pg.Pool({ ...configOf(target, settings, sockets), max: settings.max, idleTimeoutMillis: idleMs })
  // A connection that is lost while nobody uses it is no news to anyone; who uses one hears it from his statement.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

/** The database does it by itself for a connection that is lost. */
async function rollBack({ session, query, giveBack }: Borrowed): Promise<void> {
  if (!session.isLost) await query.unsafe('rollback').catch(() => {})
  giveBack()
}

/** What does not end by itself is waiting for a database that is away. */
async function closed(ended: Promise<void>, sockets: ReadonlySet<Socket>): Promise<void> {
  const grace = new AbortController()
  const isOver = ended.catch(() => {}).finally(() => grace.abort())
  await Promise.race([isOver, delay(closeMs, undefined, { signal: grace.signal }).catch(() => {})])
  for (const socket of sockets) socket.destroy()
}

/** A connection of its own. */
export type Client = {
  query: Query
  /** @param lost called once, when the connection ends otherwise than by `close` */
  onLost(lost: () => void): void
  onNotification(heard: (channel: string, payload: string) => void): void
  close(): Promise<void>
}

/** @throws ConnectionError, or ServerError: the database refuses the connection */
export async function openClient(target: Target, settings: ConnectionSettings): Promise<Client> {
  const sockets = new Set<Socket>()
  const client = new pg.Client(configOf(target, settings, sockets))
  let isClosing = false
  const lost = Promise.withResolvers<void>()
  client.on('error', () => lost.resolve())
  client.on('end', () => lost.resolve())
  const close = async () => {
    isClosing = true
    await closed(client.end(), sockets)
  }
  try {
    await client.connect()
  } catch (error) {
    // Its end is not waited for: of a connection that never was, the driver may not tell one.
    isClosing = true
    void client.end().catch(() => {})
    for (const socket of sockets) socket.destroy()
    throw isServerError(error) ? error : new ConnectionError(error)
  }
  return {
    query: queryOn(new Session(client, null).run),
    onLost: (listener) => void lost.promise.then(() => isClosing || listener()),
    onNotification: (heard) => void client.on('notification', ({ channel, payload }) => heard(channel, payload ?? '')),
    close,
  }
}
