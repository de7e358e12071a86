// SQL in a tagged template: values become parameters, a statement inside another statement is a piece of it. A statement runs
// when it is awaited, on the connection that made its tag.

export type Row = { [column: string]: unknown }

/** `count`: rows read or changed. Columns are named in camelCase. */
export type Rows<T> = T & { readonly count: number; readonly command: string }

/** A text with parameters `$1`, `$2`, …; `isFixed`: worth planning once, because the same text comes again. */
export type Prepared = { text: string; values: unknown[]; isFixed: boolean }

export type Run = (statement: Prepared) => Promise<Rows<Row[]>>

export type Query = {
  <T extends readonly object[] = Row[]>(texts: TemplateStringsArray, ...values: readonly unknown[]): Statement<T>
  /** Quotes one name or several; `table.column` is quoted as two names. */
  names(names: string | readonly string[]): Sql
  /** A parameter for a JSON column. */
  json(value: unknown): Json
  /** Runs a text as it stands, without parameters: never a text from outside. Several statements are possible. */
  unsafe<T extends readonly object[] = Row[]>(text: string): Statement<T>
}

declare const inTransaction: unique symbol
/** A write can only be reached with a transaction in hand. */
export type Tx = Query & { readonly [inTransaction]: true }

/** Makes the tag whose statements are run by `run`. */
export function queryOn(run: Run): Query {
  const query = <T extends readonly object[]>(texts: TemplateStringsArray, ...values: readonly unknown[]) =>
    new Statement<T>(run, texts, values)
  return Object.assign(query, {
    names: (names: string | readonly string[]) => new Sql([names].flat().map(quoted).join(', ')),
    json: (value: unknown) => new Json(JSON.stringify(value)),
    unsafe: <T extends readonly object[]>(text: string) => new Statement<T>(run, [text], [], false),
  })
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""').replaceAll('.', '"."')}"`

class Text {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}
export class Sql extends Text {}
export class Json extends Text {}

export class Statement<T extends readonly object[]> implements Promise<Rows<T>> {
  readonly #run: Run
  readonly #texts: readonly string[]
  readonly #values: readonly unknown[]
  readonly #isFixed: boolean
  #running: Promise<Rows<Row[]>> | undefined

  constructor(run: Run, texts: readonly string[], values: readonly unknown[], isFixed = true) {
    this.#run = run
    this.#texts = texts
    this.#values = values
    this.#isFixed = isFixed
  }

  // biome-ignore lint/suspicious/noThenProperty: awaiting a statement runs it
  then<A = Rows<T>, B = never>(
    fulfilled?: ((rows: Rows<T>) => A | PromiseLike<A>) | null,
    rejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    const values: unknown[] = []
    this.#running ??= this.#run({ text: this.#write(values), values, isFixed: this.#isFixed })
    return (this.#running as Promise<unknown> as Promise<Rows<T>>).then(fulfilled, rejected)
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

  #write(values: unknown[]): string {
    let text = this.#texts[0] ?? ''
    for (const [at, value] of this.#values.entries()) {
      if (value instanceof Statement) text += value.#write(values)
      else if (value instanceof Sql) text += value.text
      else text += `$${values.push(parameterOf(value))}`
      text += this.#texts[at + 1]
    }
    return text
  }
}

/** The driver would write a date in the machine's time zone, and an object or `undefined` without a word. */
function parameterOf(value: unknown): unknown {
  if (value === undefined) throw new TypeError('a parameter of a statement is undefined')
  if (value instanceof Json) return value.text
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return value.map(parameterOf)
  if (typeof value === 'object' && value !== null && !(value instanceof Uint8Array))
    throw new TypeError('an object is no parameter of a statement: say json()')
  return value
}
