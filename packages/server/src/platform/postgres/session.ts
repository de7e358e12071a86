// One use of a connection, for a statement or a transaction. Names prepared statements, turns rows into objects, and
// distinguishes an error response from a lost connection.
// Above the usual length: one connection's state, and who waits for which of its responses.

import { createHash } from 'node:crypto'
import pg from 'pg'
import { Opening } from './opening.ts'
import { type Prepared, type Query, queryOn, type Row, type Rows, rowsOf, type Tx } from './query.ts'

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

export type Parameters = Readonly<Record<string, string>>

/** Writes statements that apply the settings to the connection or, with `set local`, to the transaction. */
export const settingSql = (set: 'set' | 'set local', parameters: Parameters): string[] =>
  Object.entries(parameters).map(([name, value]) => `${set} ${name} = ${pg.escapeLiteral(value)}`)

/** For a business: the role that row-level security applies to, until the transaction ends. */
const scopeOf = (businessId: string | null): Parameters =>
  businessId === null ? {} : { role: 'causeway_business', 'causeway.business_id': businessId }

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
type Answer = pg.QueryArrayResult<unknown[]>

const writingCommands: ReadonlySet<string> = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE'])

type Transaction = {
  local: Parameters
  /** Whether the caller has stopped waiting for its beginning: then it is rolled back. */
  isLate: () => boolean
  /** Whether its beginning was sent. */
  isOpen: boolean
  /** Statements that were sent without waiting for their responses. Each resolves to what follows COMMIT. */
  sent: Promise<() => void>[]
}

export class Session {
  /** A `Tx` after `begin`. */
  readonly query: Query
  /** Resolves when the connection was returned. */
  readonly ended: Promise<void>
  /** Resolves when PostgreSQL has begun the transaction, or refused to. */
  readonly opened: Promise<void>
  readonly #end: () => void
  readonly #open: () => void
  readonly #client: pg.ClientBase
  readonly #use: SessionUse
  /** The settings of each transaction: of its business, and behind a pooler. */
  readonly #local: Parameters
  #silenceMs: number
  #settling: Promise<unknown> | undefined
  #transaction: Transaction | null = null
  #hasWritten = false
  #isLost = false
  #isOver = false

  constructor(client: pg.ClientBase, use: SessionUse = {}) {
    this.#client = client
    this.#use = use
    this.#local = { ...scopeOf(use.businessId ?? null), ...use.pooled }
    this.#silenceMs = use.silenceMs ?? 0
    this.#settling = use.settling
    const ended = Promise.withResolvers<void>()
    const opened = Promise.withResolvers<void>()
    this.ended = ended.promise
    this.opened = opened.promise
    this.#end = ended.resolve
    this.#open = opened.resolve
    const send: Tx['send'] = (statement, committed) => this.#send(statement, committed)
    this.query = Object.assign(
      queryOn((statement) => this.#run(statement)),
      { send },
    )
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

  /**
   * Begins a transaction with the next statement: both share a round trip.
   * @param local settings for this transaction
   * @param isLate whether the caller has stopped waiting for the beginning
   * @param silenceMs replaces the connection's limit
   */
  begin(local: Parameters = {}, isLate: () => boolean = () => false, silenceMs = this.#silenceMs): void {
    this.#silenceMs = silenceMs
    this.#transaction = { local: { ...this.#local, ...local }, isLate, isOpen: false, sent: [] }
  }

  #send<T>(statement: PromiseLike<T>, committed: (answer: T) => void = () => {}): void {
    const sent = Promise.resolve(statement.then((answer) => () => committed(answer)))
    sent.catch(() => {}) // thrown at the end of the transaction
    this.#transaction?.sent.push(sent)
  }

  /**
   * Commits, and returns the connection. While a synchronous standby is unavailable, PostgreSQL does not respond. Such
   * a connection is not given up, because PostgreSQL would keep its own side of it open.
   * @throws the first error of a statement that was sent without waiting
   * @throws Error if `work` ignored a failed statement: PostgreSQL then responds with ROLLBACK
   */
  async commit(): Promise<void> {
    this.#silenceMs = 0
    const { isOpen = false, sent = [] } = this.#transaction ?? {}
    try {
      if (!isOpen) return
      // Sent before the responses to `sent`: after a failed statement PostgreSQL does not commit.
      const committing = this.query.unsafe('commit').then((answer) => answer)
      const failed = await firstFailure([...sent, committing])
      if (failed) throw failed.reason
      const { command } = await committing
      if (command !== 'COMMIT') throw new Error('a failed statement was passed over')
      if (this.#hasWritten) this.#use.onWrite?.()
      for (const committed of await Promise.all(sent)) committed()
    } finally {
      this.end()
    }
  }

  /**
   * Rolls back, and returns the connection. On a lost connection, PostgreSQL rolls back without a request.
   * @returns the first error of a statement that was sent without waiting, which explains later errors; or `error`
   */
  async rollBack(error?: unknown): Promise<unknown> {
    const { isOpen = false, sent = [] } = this.#transaction ?? {}
    if (isOpen && !this.#isLost) await this.query.unsafe('rollback').catch(() => {})
    this.end()
    const failed = await firstFailure(sent)
    return failed ? failed.reason : error
  }

  async #run({ text, values, isFixed }: Prepared): Promise<Rows<Row[]>> {
    if (this.#isOver) throw new Error('a statement after the end of its transaction')
    const isNamed = isFixed && this.#use.pooled === undefined
    const name = isNamed ? { name: nameOf(text, 'role' in this.#local) } : {}
    const config: Sent = { ...name, text, values, rowMode: 'array', query_timeout: this.#silenceMs }
    try {
      const result = await this.#settled(this.#answer(config, isFixed))
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

  #answer(config: Sent, isFixed: boolean): Promise<Answer> {
    this.#gather()
    const transaction = this.#transaction
    const isScoped = transaction === null && Object.keys(this.#local).length > 0
    if (!isScoped && (transaction === null || transaction.isOpen)) return this.#client.query<unknown[]>(config)
    if (transaction) transaction.isOpen = true
    return transaction ? this.#runFirst(config, isFixed, transaction) : this.#runScoped(config, isFixed)
  }

  /** Statements of one turn of the event loop leave together: each packet would wake the server process once more. */
  #gather(): void {
    const { stream } = (this.#client as pg.Client).connection // every client has one
    stream.cork()
    process.nextTick(() => stream.uncork())
  }

  /** Runs the first statement of a transaction. */
  async #runFirst(config: Sent, isFixed: boolean, transaction: Transaction): Promise<Answer> {
    const answer = await this.#runOpening(config, isFixed, transaction.local, this.#open).finally(this.#open)
    if (transaction.isLate()) throw new Error('the transaction began too late')
    return answer
  }

  /** Runs a statement in its own transaction, in one round trip. */
  async #runScoped(config: Sent, isFixed: boolean): Promise<Answer> {
    const answering = this.#runOpening(config, isFixed, this.#local)
    const committing = isFixed ? this.#client.query('commit') : answering.finally(() => this.#client.query('commit'))
    const failed = await firstFailure([answering, committing])
    if (failed) throw failed.reason
    return await answering
  }

  /** Begins a transaction and runs its first statement. A text of several statements cannot share the round trip. */
  async #runOpening(config: Sent, isFixed: boolean, local: Parameters, begun?: () => void): Promise<Answer> {
    const text = isFixed ? config.text : 'show transaction_isolation'
    const opening = new Opening(['begin', ...settingSql('set local', local)], { ...config, text }, begun)
    this.#client.query(opening)
    const answer = await opening.answer.catch((error: unknown) => {
      this.#isLost ||= !opening.hasBegun
      throw error
    })
    return isFixed ? answer : await this.#client.query<unknown[]>(config)
  }

  /**
   * The settings and the first statement share a round trip: if the settings are refused, the statement's response does
   * not count.
   */
  async #settled<T>(answer: Promise<T>): Promise<T> {
    const settling = this.#settling
    this.#settling = undefined
    if (settling === undefined) return await answer
    const failed = await firstFailure([settling, answer])
    if (failed === undefined) return await answer
    this.#isLost ||= failed.at === 0
    throw failed.reason
  }

  #noteWrite({ command, count }: Rows<Row[]>): void {
    if (count === 0 || !writingCommands.has(command)) return
    if (this.#transaction) this.#hasWritten = true
    else this.#use.onWrite?.()
  }
}

/** Waits for all of them. @returns the first one in their order that was rejected */
async function firstFailure(
  answers: readonly Promise<unknown>[],
): Promise<{ at: number; reason: unknown } | undefined> {
  const ends = await Promise.allSettled(answers)
  const at = ends.findIndex(({ status }) => status === 'rejected')
  const end = ends[at]
  return end?.status === 'rejected' ? { at, reason: end.reason } : undefined
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
