// One use of a connection, for a statement or a transaction: names the statements it prepares, turns rows into objects, and
// tells an answer of the database from a lost connection.

import { createHash } from 'node:crypto'
import pg from 'pg'
import { type Prepared, type Query, queryOn, type Row, type Rows } from './query.ts'

/** What the database answered to a statement. */
export type ServerError = pg.DatabaseError

/** No connection, or a lost one: whether the last statement was done is not known. */
export class ConnectionError extends Error {
  readonly code: string
  constructor(cause: unknown) {
    super('no connection to the database', { cause })
    this.code = cause instanceof Error ? codeOf(cause) : 'CONNECTION_LOST'
  }
}

function codeOf(cause: Error): string {
  if ('code' in cause) return String(cause.code)
  return /timeout/.test(cause.message) ? 'CONNECT_TIMEOUT' : 'CONNECTION_LOST'
}

export const isServerError = (error: unknown): error is ServerError => error instanceof pg.DatabaseError

/** The primary has become a standby, or is closed to writes: no transaction after this one would fare better. */
const isReadOnly = ({ code }: ServerError): boolean => code === '25006'

/** After these severities the server hangs up. */
export const endsConnection = (error: ServerError): boolean => error.severity === 'FATAL' || error.severity === 'PANIC'

/** Begins a transaction, for one business if one is named: as the role that row security is for, until the transaction ends. */
const beginOf = (businessId: string | null): string =>
  businessId === null
    ? 'begin'
    : `begin; set local role causeway_business; set local causeway.business_id = ${pg.escapeLiteral(businessId)}`

/** Settings of a connection or of a transaction, by name. */
export type Parameters = Readonly<Record<string, string>>

/** Writes statements that make the settings, for the connection or, with `set local`, for the transaction. */
export const settingSql = (set: 'set' | 'set local', parameters: Parameters): string[] =>
  Object.entries(parameters).map(([name, value]) => `${set} ${name} = ${pg.escapeLiteral(value)}`)

export type SessionUse = {
  /** Whose rows the session sees; null for all. */
  businessId?: string | null
  /** After this long without an answer to a statement the connection is given up; 0 waits for ever. */
  silenceMs?: number
  /** The settings of a new connection, sent ahead of its first statement. */
  settling?: Promise<unknown> | undefined
  /**
   * Behind a pooler: the settings, which go with each transaction, because the next one may have another server process. Nor does
   * a statement have a name there.
   */
  pooled?: Parameters | undefined
  /** Hears of each write that PostgreSQL has committed. */
  onWrite?: () => void
  /** Receives each error of PostgreSQL in response to a statement. */
  onError?: (error: ServerError) => void
  release?: (isLost: boolean) => void
}

type Sent = pg.QueryArrayConfig & { query_timeout: number }

const writingCommands: ReadonlySet<string> = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE'])

export class Session {
  readonly query: Query
  /** Resolves when the connection was given back. */
  readonly ended: Promise<void>
  readonly #end: () => void
  readonly #client: pg.ClientBase
  readonly #use: SessionUse
  readonly #businessId: string | null
  #silenceMs: number
  #settling: Promise<unknown> | undefined
  #isInTransaction = false
  #hasWritten = false
  #isLost = false
  #isOver = false

  constructor(client: pg.ClientBase, use: SessionUse = {}) {
    this.#client = client
    this.#use = use
    this.#businessId = use.businessId ?? null
    this.#silenceMs = use.silenceMs ?? 0
    this.#settling = use.settling
    const { promise, resolve } = Promise.withResolvers<void>()
    this.ended = promise
    this.#end = resolve
    this.query = queryOn((statement) => this.#run(statement))
  }

  /** Gives the connection back, once. */
  end(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#use.release?.(this.#isLost)
    this.#end()
  }

  /** Gives up the connection, whatever still runs on it. */
  abandon(): void {
    this.#isLost = true
    this.end()
  }

  /** @param local settings for this transaction; `silenceMs` in place of the connection's */
  async begin(local: Parameters = {}, silenceMs = this.#silenceMs): Promise<void> {
    this.#isInTransaction = true
    this.#silenceMs = silenceMs
    await this.query.unsafe(this.#beginSql(local))
  }

  #beginSql(local: Parameters = {}): string {
    return [beginOf(this.#businessId), ...settingSql('set local', { ...this.#use.pooled, ...local })].join('; ')
  }

  /**
   * Commits, and gives the connection back. A synchronous standby that is away keeps PostgreSQL from answering, for as long
   * as it is away: such a connection is not given up, because PostgreSQL would keep its own side of each of them.
   * @throws Error when `work` passed over a failed statement: PostgreSQL answers ROLLBACK then
   */
  async commit(): Promise<void> {
    this.#silenceMs = 0
    try {
      const { command } = await this.query.unsafe('commit')
      if (command !== 'COMMIT') throw new Error('a failed statement was passed over')
      if (this.#hasWritten) this.#use.onWrite?.()
    } finally {
      this.end()
    }
  }

  /** PostgreSQL rolls back by itself on a lost connection. */
  async rollBack(): Promise<void> {
    if (!this.#isLost) await this.query.unsafe('rollback').catch(() => {})
    this.end()
  }

  async #run({ text, values, isFixed }: Prepared): Promise<Rows<Row[]>> {
    if (this.#isOver) throw new Error('a statement after the end of its transaction')
    const isNamed = isFixed && this.#use.pooled === undefined
    const name = isNamed ? { name: nameOf(text, this.#businessId !== null) } : {}
    const config: Sent = { ...name, text, values, rowMode: 'array', query_timeout: this.#silenceMs }
    try {
      const isScoped = (this.#businessId !== null || this.#use.pooled !== undefined) && !this.#isInTransaction
      const result = await this.#settled(isScoped ? this.#runScoped(config) : this.#client.query<unknown[]>(config))
      // Several statements in one text have several results.
      const rows = rowsOf(Array.isArray(result) ? result.at(-1) : result)
      this.#noteWrite(rows)
      return rows
    } catch (error) {
      if (isServerError(error)) this.#use.onError?.(error)
      if (isServerError(error) && !endsConnection(error)) {
        if (isStalePlan(error)) generation += 1
        if (isReadOnly(error)) this.#isLost = true
        throw error
      }
      this.#isLost = true
      throw isServerError(error) ? error : new ConnectionError(error)
    }
  }

  /** The settings and the first statement share a round trip: where the settings are refused, its answer does not count. */
  async #settled<T>(answer: Promise<T>): Promise<T> {
    const settling = this.#settling
    this.#settling = undefined
    if (settling === undefined) return await answer
    const [settled, answered] = await Promise.allSettled([settling, answer])
    if (settled.status === 'rejected') {
      this.#isLost = true
      throw settled.reason
    }
    if (answered.status === 'rejected') throw answered.reason
    return answered.value
  }

  #noteWrite({ command, count }: Rows<Row[]>): void {
    if (count === 0 || !writingCommands.has(command)) return
    if (this.#isInTransaction) this.#hasWritten = true
    else this.#use.onWrite?.()
  }

  /** One round trip: the three are sent together. When `begin` fails, PostgreSQL refuses what follows. */
  async #runScoped(config: pg.QueryArrayConfig): Promise<pg.QueryArrayResult<unknown[]>> {
    const [begun, answered, ended] = await Promise.allSettled([
      this.#client.query(this.#beginSql()),
      this.#client.query<unknown[]>(config),
      this.#client.query('commit'),
    ])
    if (begun.status === 'rejected') throw begun.reason
    if (answered.status === 'rejected') throw answered.reason
    if (ended.status === 'rejected') throw ended.reason
    return answered.value
  }
}

// A statement is parsed and planned once a connection, under a name of its own. A new generation plans all of them again.
const digests = new Map<string, string>()
let generation = 0

/** A plan holds for the role that made it: a statement for a business has a name, and a plan, of its own. */
function nameOf(text: string, isScoped: boolean): string {
  const digest = digests.get(text) ?? createHash('sha256').update(text).digest('base64url').slice(0, 22)
  digests.set(text, digest)
  return `${isScoped ? 'b' : 's'}${generation}_${digest}`
}

/** Whether a migration has changed what a planned statement would answer. The caller repeats it like a conflict. */
export const isStalePlan = ({ code, routine }: ServerError): boolean =>
  code === '0A000' && routine === 'RevalidateCachedQuery'

const camelNames = new Map<string, string>()

function camelOf(column: string): string {
  const known = camelNames.get(column)
  if (known) return known
  const name = column.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
  camelNames.set(column, name)
  return name
}

function rowsOf(result: pg.QueryArrayResult<unknown[]> | undefined): Rows<Row[]> {
  const columns = result?.fields?.map(({ name }) => camelOf(name)) ?? []
  const rows = (result?.rows ?? []).map((values) => {
    const row: Row = {}
    for (const [at, column] of columns.entries()) row[column] = values[at]
    return row
  })
  return Object.assign(rows, { count: result?.rowCount ?? rows.length, command: result?.command ?? '' })
}
