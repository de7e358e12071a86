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

/** After these severities the server hangs up. */
const isLast = (error: ServerError): boolean => error.severity === 'FATAL' || error.severity === 'PANIC'

/** Begins a transaction, for one business if one is named: as the role that row security is for, until the transaction ends. */
const beginOf = (businessId: string | null): string =>
  businessId === null
    ? 'begin'
    : `begin; set local role causeway_business; set local causeway.business_id = ${pg.escapeLiteral(businessId)}`

export class Session {
  readonly query: Query
  readonly #client: pg.ClientBase
  readonly #businessId: string | null
  readonly #release: (isLost: boolean) => void
  #isInTransaction = false
  #isLost = false
  #isOver = false

  constructor(client: pg.ClientBase, businessId: string | null = null, release: (isLost: boolean) => void = () => {}) {
    this.#client = client
    this.#businessId = businessId
    this.#release = release
    this.query = queryOn((statement) => this.#run(statement))
  }

  /** Gives the connection back. */
  end(): void {
    this.#isOver = true
    this.#release(this.#isLost)
  }

  async begin(): Promise<void> {
    this.#isInTransaction = true
    await this.query.unsafe(beginOf(this.#businessId))
  }

  /** @throws Error when `work` passed over a failed statement: PostgreSQL answers ROLLBACK then */
  async commit(): Promise<void> {
    const { command } = await this.query.unsafe('commit')
    if (command !== 'COMMIT') throw new Error('a failed statement was passed over')
    this.end()
  }

  /** PostgreSQL rolls back by itself on a lost connection. */
  async rollBack(): Promise<void> {
    if (!this.#isLost) await this.query.unsafe('rollback').catch(() => {})
    this.end()
  }

  async #run({ text, values, isFixed }: Prepared): Promise<Rows<Row[]>> {
    if (this.#isOver) throw new Error('a statement after the end of its transaction')
    const name = isFixed ? { name: nameOf(text, this.#businessId !== null) } : {}
    const config = { ...name, text, values, rowMode: 'array' } as const
    try {
      const result =
        this.#businessId === null || this.#isInTransaction
          ? await this.#client.query<unknown[]>(config)
          : await this.#runScoped(this.#businessId, config)
      // Several statements in one text have several results.
      return rowsOf(Array.isArray(result) ? result.at(-1) : result)
    } catch (error) {
      if (isServerError(error) && !isLast(error)) {
        if (isStalePlan(error)) generation += 1
        throw error
      }
      this.#isLost = true
      throw isServerError(error) ? error : new ConnectionError(error)
    }
  }

  /** One round trip: the three are sent together. When `begin` fails, PostgreSQL refuses what follows. */
  async #runScoped(businessId: string, config: pg.QueryArrayConfig): Promise<pg.QueryArrayResult<unknown[]>> {
    const [begun, answered, ended] = await Promise.allSettled([
      this.#client.query(beginOf(businessId)),
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
