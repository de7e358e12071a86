// The beginning of a transaction, sent with its first statement before one Sync. After an error PostgreSQL skips
// everything up to the Sync (its documentation: Frontend/Backend Protocol, Pipelining), so no statement runs outside its
// transaction.

import pg from 'pg'

/** The part of the driver's protocol between a connection and its queries that pg-cursor uses as well. */
type Messages = {
  name: string | undefined
  submit(connection: pg.Connection): Error | null
  handleCommandComplete(message: unknown, connection: pg.Connection): void
}
type Result = pg.QueryArrayResult<unknown[]>
type Config = pg.QueryArrayConfig & { query_timeout: number; queryMode?: string }
const DriverQuery = pg.Query as unknown as new (
  config: Config,
  ended: (error: Error | null, result: Result) => void,
) => Omit<pg.Query, keyof Messages> & Messages

/** A statement behind the beginning of its transaction. */
export class Opening extends DriverQuery {
  readonly answer: Promise<Result>
  readonly query_timeout: number
  readonly #parts: readonly string[]
  readonly #name: string | undefined
  readonly #begun: (() => void) | undefined
  #ahead: number

  /**
   * @param parts `begin` and the settings of the transaction
   * @param begun is called when PostgreSQL has begun. Without it, PostgreSQL responds to everything at once
   */
  constructor(parts: readonly string[], config: Config, begun?: () => void) {
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    super({ ...config, queryMode: 'extended' }, (error, result) => (error ? reject(error) : resolve(result)))
    this.answer = promise
    this.query_timeout = config.query_timeout
    this.#parts = parts
    this.#name = config.name
    this.#begun = begun
    this.#ahead = parts.length
  }

  /** Whether the transaction has begun. */
  get hasBegun(): boolean {
    return this.#ahead === 0
  }

  override submit(connection: pg.Connection): Error | null {
    connection.stream.cork()
    for (const text of this.#parts) {
      connection.parse({ name: '', text, types: [] }, true)
      connection.bind({}, true)
      connection.execute(null, true)
    }
    if (this.#begun) connection.flush()
    const error = super.submit(connection)
    connection.stream.uncork()
    // The driver would take the first part that is parsed for the statement of this name.
    this.name = undefined
    return error
  }

  override handleCommandComplete(message: unknown, connection: pg.Connection): void {
    if (this.hasBegun) {
      super.handleCommandComplete(message, connection)
      return
    }
    this.#ahead -= 1
    if (!this.hasBegun) return
    this.name = this.#name
    this.#begun?.()
  }
}
