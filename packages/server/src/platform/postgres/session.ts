// One use of a connection, for a statement or a transaction. Names prepared statements, turns rows into objects, and
// distinguishes an error response from a lost connection.

import { createHash } from 'node:crypto'
import pg from 'pg'
import { type Prepared, type Query, queryOn, type Row, type Rows } from './query.ts'

/** The error response of the database to a statement. */
export type ServerError = pg.DatabaseError

/** No connection, or a lost one: the outcome of the last statement is unknown. */
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

/** The primary has become a standby, or is closed to writes: every further transaction would fail, too. */
const isReadOnly = ({ code }: ServerError): boolean => code === '25006'

/** After these severities the server closes the connection. */
export const endsConnection = (error: ServerError): boolean => error.severity === 'FATAL' || error.severity === 'PANIC'

/** Begins a transaction. For a business: in the role that row-level security applies to, until the transaction ends. */
const beginOf = (businessId: string | null): string =>
  businessId === null
    ? 'begin'
    : `begin; set local role causeway_business; set local causeway.business_id = ${pg.escapeLiteral(businessId)}`

export type Parameters = Readonly<Record<string, string>>

/** Writes statements that apply the settings to the connection or, with `set local`, to the transaction. */
export const settingSql = (set: 'set' | 'set local', parameters: Parameters): string[] =>
  Object.entries(parameters).map(([name, value]) => `${set} ${name} = ${pg.escapeLiteral(value)}`)

export type SessionUse = {
  /** The business that limits the visible rows; null for all. */
  businessId?: string | null
  /** The connection is given up after this long without a response to a statement; 0 waits without limit. */
  silenceMs?: number
  /** The settings of a new connection, sent ahead of its first statement. */
  settling?: Promise<unknown> | undefined
  /**
   * Behind a pooler: the settings, sent with each transaction, because the next one may use another server process.
   * Statements have no names there either.
   */
  pooled?: Parameters | undefined
  /** Called after each write that PostgreSQL has committed. */
  onWrite?: () => void
  /** Receives each error of PostgreSQL in response to a statement. */
  onError?: (error: ServerError) => void
  release?: (isLost: boolean) => void
}

type Sent = pg.QueryArrayConfig & { query_timeout: number }

const writingCommands: ReadonlySet<string> = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE'])

export class Session {
  readonly query: Query
  /** Resolves when the connection was returned. */
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

  /** Returns the connection, once. */
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

  /** @param local settings for this transaction; `silenceMs` replaces the connection's limit */
  async begin(local: Parameters = {}, silenceMs = this.#silenceMs): Promise<void> {
    this.#isInTransaction = true
    this.#silenceMs = silenceMs
    await this.query.unsafe(this.#beginSql(local))
  }

  #beginSql(local: Parameters = {}): string {
    return [beginOf(this.#businessId), ...settingSql('set local', { ...this.#use.pooled, ...local })].join('; ')
  }

  /**
   * Commits, and returns the connection. While a synchronous standby is unavailable, PostgreSQL does not respond. Such
   * a connection is not given up, because PostgreSQL would keep its own side of it open.
   * @throws Error if `work` ignored a failed statement: PostgreSQL then responds with ROLLBACK
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

  /** On a lost connection, PostgreSQL rolls back without a request. */
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

  /**
   * The settings and the first statement share a round trip: if the settings are refused, the statement's response does
   * not count.
   */
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

  /** One round trip: the three are sent together. If `begin` fails, PostgreSQL refuses the rest. */
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

// A statement is parsed and planned once per connection, under its own name. A new generation plans all of them again.
const digests = new Map<string, string>()
let generation = 0

/** A plan belongs to the role that created it, so a statement for a business has a separate name and plan. */
function nameOf(text: string, isScoped: boolean): string {
  const digest = digests.get(text) ?? createHash('sha256').update(text).digest('base64url').slice(0, 22)
  digests.set(text, digest)
  return `${isScoped ? 'b' : 's'}${generation}_${digest}`
}

/** Whether a migration has changed the result of a planned statement. The caller retries it like a conflict. */
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
