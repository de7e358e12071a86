// SQL in a tagged template: values become parameters, and a statement inside another statement becomes a part of it. A
// statement runs when it is awaited, on the connection of its tag.

export type Row = { [column: string]: unknown }

/** `count`: rows read or changed. Columns are named in camelCase. */
export type Rows<T> = T & { readonly count: number; readonly command: string }

/** A text with parameters `$1`, `$2`, …; `isFixed`: the plan is worth keeping, because the same text comes again. */
export type Prepared = { text: string; values: unknown[]; isFixed: boolean }

export type Run = (statement: Prepared) => Promise<Rows<Row[]>>

export type Query = {
  <T extends readonly object[] = Row[]>(texts: TemplateStringsArray, ...values: readonly unknown[]): Statement<T>
  /** Quotes one name or several; `table.column` is quoted as two names. */
  names(names: string | readonly string[]): Sql
  /** A parameter for a JSON column. */
  json(value: unknown): Sql
  /** Runs a text unchanged, without parameters: never a text from outside. Several statements are possible. */
  unsafe<T extends readonly object[] = Row[]>(text: string): Statement<T>
}

/** @returns milliseconds since 1970 by the database's clock, which also dates what is stored */
export async function readNowMs(query: Query): Promise<number> {
  const [row] = await query<{ ms: number }[]>`select (extract(epoch from now()) * 1000)::float8 as ms`
  return row?.ms ?? Number.NaN
}

declare const inTransaction: unique symbol
/** Only code with a transaction can reach functions that write. */
export type Tx = Query & {
  readonly [inTransaction]: true
  /**
   * Sends a statement, whose response the transaction waits for at its end. If the statement fails, the transaction is
   * rolled back, and throws this error.
   * @param committed receives the response once the transaction is committed, also after the deadline of its caller
   */
  send<T>(statement: PromiseLike<T>, committed?: (answer: T) => void): void
}

/** Creates the tag whose statements are run by `run`. */
export function queryOn(run: Run): Query {
  const query = <T extends readonly object[]>(texts: TemplateStringsArray, ...values: readonly unknown[]) =>
    new Statement<T>(run, texts, values)
  return Object.assign(query, {
    names: (names: string | readonly string[]) => new Sql(() => [names].flat().map(quoted).join(', ')),
    json: (value: unknown) => new Sql((values) => `$${values.push(JSON.stringify(value))}`),
    unsafe: <T extends readonly object[]>(text: string) => new Statement<T>(run, [text], [], false),
  })
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""').replaceAll('.', '"."')}"`

/** A part of a statement: `write` adds its parameters to those of the statement, and returns its text. */
class Sql {
  readonly write: (values: unknown[]) => string
  constructor(write: (values: unknown[]) => string) {
    this.write = write
  }
}

export class Statement<T extends readonly object[]> extends Sql implements Promise<Rows<T>> {
  readonly #run: () => Promise<Rows<Row[]>>
  #running: Promise<unknown> | undefined

  constructor(run: Run, texts: readonly string[], pieces: readonly unknown[], isFixed = true) {
    super((values) =>
      texts.reduce((text, next, at) => {
        const piece = pieces[at - 1]
        return `${text}${piece instanceof Sql ? piece.write(values) : `$${values.push(parameterOf(piece))}`}${next}`
      }),
    )
    this.#run = () => {
      const values: unknown[] = []
      return run({ text: this.write(values), values, isFixed })
    }
  }

  // biome-ignore lint/suspicious/noThenProperty: awaiting a statement runs it
  then<A = Rows<T>, B = never>(
    fulfilled?: ((rows: Rows<T>) => A | PromiseLike<A>) | null,
    rejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.#running ??= this.#run()
    return (this.#running as Promise<Rows<T>>).then(fulfilled, rejected)
  }

  catch<B = never>(rejected?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<Rows<T> | B> {
    return this.then(null, rejected)
  }

  finally(ended?: (() => void) | null): Promise<Rows<T>> {
    return this.then().finally(ended)
  }

  get [Symbol.toStringTag](): string {
    return 'Statement'
  }
}

const plainTypes: ReadonlySet<string> = new Set(['string', 'number', 'boolean', 'bigint'])

/** The driver would write a date in the machine's time zone, and accept an object or `undefined` without an error. */
function parameterOf(value: unknown): unknown {
  if (value === undefined) throw new TypeError('a parameter of a statement is undefined')
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return value.map(parameterOf)
  const isPlain = value === null || value instanceof Uint8Array || plainTypes.has(typeof value)
  if (!isPlain) throw new TypeError('an object is no parameter of a statement: say json()')
  return value
}

/** The part of a response of the driver that `rowsOf` reads. */
type Response = {
  fields?: readonly { name: string }[]
  rows?: readonly (readonly unknown[])[]
  rowCount?: number | null
  command?: string
}

const camelNames = new Map<string, string>()

function camelOf(column: string): string {
  const known = camelNames.get(column)
  if (known) return known
  const name = column.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
  camelNames.set(column, name)
  return name
}

/** Turns the arrays of a response into objects. */
export function rowsOf(result: Response | undefined): Rows<Row[]> {
  const columns = result?.fields?.map(({ name }) => camelOf(name)) ?? []
  const rows = (result?.rows ?? []).map((values) => {
    const row: Row = {}
    for (const [at, column] of columns.entries()) row[column] = values[at]
    return row
  })
  return Object.assign(rows, { count: result?.rowCount ?? rows.length, command: result?.command ?? '' })
}
