// One use of a connection: statements are run on it under names of their own, rows become objects, and a failure is told
// apart: the database said it, or the connection is lost.

import pg from 'pg'
import { scoped } from './business-scope.ts'
import type { Prepared, Row, Rows } from './query.ts'

/** What the database answered to a statement. */
export type ServerError = pg.DatabaseError

/** There is no connection, or there is none any more: whether the last statement was done is not known. */
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

/** After these the server hangs up. */
const isLast = (error: ServerError): boolean => error.severity === 'FATAL' || error.severity === 'PANIC'

/** For which business a connection is used: for all if null. A transaction has been told so when it began. */
export type Scope = { businessId: string; isTransaction: boolean } | null

/** One use of a connection: a statement, or a transaction. */
export class Session {
  isLost = false
  /** The connection is somebody else's now. */
  isOver = false
  readonly #client: pg.ClientBase
  readonly #scope: Scope

  constructor(client: pg.ClientBase, scope: Scope) {
    this.#client = client
    this.#scope = scope
  }

  readonly run = async ({ text, values, isFixed }: Prepared): Promise<Rows<Row[]>> => {
    if (this.isOver) throw new Error('a statement after the end of its transaction')
    try {
      const name = isFixed ? { name: nameOf(text, this.#scope) } : {}
      const config = { ...name, text, values, rowMode: 'array' } as const
      const result = await (this.#scope?.isTransaction === false
        ? scoped(this.#client, this.#scope.businessId, config)
        : this.#client.query<unknown[]>(config))
      // Several statements in one text have several results.
      return rowsOf(Array.isArray(result) ? result.at(-1) : result)
    } catch (error) {
      if (isServerError(error) && !isLast(error)) {
        if (isStalePlan(error)) planAnew()
        throw error
      }
      this.isLost = true
      throw isServerError(error) ? error : new ConnectionError(error)
    }
  }
}

// A statement is parsed and planned once a connection, under a name of its own.
let names = new Map<string, string>()
let generation = 0

/** A plan holds for the role that made it: what is done for a business has names, and plans, of its own. */
function nameOf(text: string, scope: Scope): string {
  const known = names.get(text) ?? `${generation}_${names.size}`
  names.set(text, known)
  return scope ? `b${known}` : `s${known}`
}

/** A migration has changed what a planned statement would answer. It is met as a conflict, and planned anew. */
export const isStalePlan = ({ code, routine }: ServerError): boolean =>
  code === '0A000' && routine === 'RevalidateCachedQuery'

function planAnew(): void {
  names = new Map()
  generation += 1
}

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
