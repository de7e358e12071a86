// Statements as they are written in this folder: SQL in a tagged template, its values as parameters. A statement inside of
// another is a piece of it. It runs when it is awaited, on whatever made its tag: a pool, or a transaction.

export type Row = { [column: string]: unknown }

/** `count`: rows that were read or changed. Columns are named in camelCase. */
export type Rows<T> = T & { readonly count: number; readonly command: string }

/** A text with parameters `$1`, `$2`, … */
export type Prepared = { text: string; values: unknown[]; isFixed: boolean }

export type Run = (statement: Prepared) => Promise<Rows<Row[]>>

export type Query = {
  <T extends readonly object[] = Row[]>(texts: TemplateStringsArray, ...values: readonly unknown[]): Statement<T>
  /** One or several, quoted. */
  names(names: string | readonly string[]): Names
  /** For a column of that type. */
  json(value: unknown): Json
  /** As it stands, with no parameters: never with a text that came from outside. Several statements are possible. */
  unsafe<T extends readonly object[] = Row[]>(text: string): Statement<T>
}

declare const inTransaction: unique symbol
/** A write can only be reached with a transaction in hand. */
export type Tx = Query & { readonly [inTransaction]: true }

export function queryOn(run: Run): Query {
  const query = <T extends readonly object[]>(texts: TemplateStringsArray, ...values: readonly unknown[]) =>
    new Statement<T>(run, texts, values)
  return Object.assign(query, {
    names: (names: string | readonly string[]) => new Names(names),
    json: (value: unknown) => new Json(value),
    unsafe: <T extends readonly object[]>(text: string) => new Statement<T>(run, [text], [], false),
  })
}

export class Names {
  readonly text: string
  constructor(names: string | readonly string[]) {
    this.text = [names].flat().map(quoted).join(', ')
  }
}

/** `table.column` is quoted as two names. */
const quoted = (name: string): string => `"${name.replaceAll('"', '""').replaceAll('.', '"."')}"`

export class Json {
  readonly text: string
  constructor(value: unknown) {
    this.text = JSON.stringify(value)
  }
}

export class Statement<T extends readonly object[]> implements Promise<Rows<T>> {
  readonly #run: Run
  readonly #texts: readonly string[]
  readonly #values: readonly unknown[]
  readonly #isFixed: boolean
  #running: Promise<Rows<T>> | null = null

  /** @param isFixed whether it comes again, so that it is worth planning once */
  constructor(run: Run, texts: readonly string[], values: readonly unknown[], isFixed = true) {
    this.#run = run
    this.#texts = texts
    this.#values = values
    this.#isFixed = isFixed
  }

  /** Runs it now, not when it is awaited. */
  execute(): Promise<Rows<T>> {
    this.#running ??= this.#run(this.#prepare()) as unknown as Promise<Rows<T>>
    return this.#running
  }

  // biome-ignore lint/suspicious/noThenProperty: awaiting it runs it
  then<A = Rows<T>, B = never>(
    fulfilled?: ((rows: Rows<T>) => A | PromiseLike<A>) | null,
    rejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.execute().then(fulfilled, rejected)
  }

  catch<B = never>(rejected?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<Rows<T> | B> {
    return this.execute().catch(rejected)
  }

  finally(ended?: (() => void) | null): Promise<Rows<T>> {
    return this.execute().finally(ended)
  }

  get [Symbol.toStringTag](): string {
    return 'Statement'
  }

  #prepare(): Prepared {
    const values: unknown[] = []
    return { text: this.#write(values), values, isFixed: this.#isFixed }
  }

  #write(values: unknown[]): string {
    let text = this.#texts[0] ?? ''
    for (const [at, value] of this.#values.entries()) {
      if (value instanceof Statement) text += value.#write(values)
      else if (value instanceof Names) text += value.text
      else text += `$${values.push(parameterOf(value))}`
      text += this.#texts[at + 1]
    }
    return text
  }
}

/** As the driver takes it: nothing here depends on the machine's time zone, or is left out in silence. */
function parameterOf(value: unknown): unknown {
  if (value === undefined) throw new TypeError('a parameter of a statement is undefined')
  if (value instanceof Json) return value.text
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return value.map(parameterOf)
  if (typeof value === 'object' && value !== null && !(value instanceof Uint8Array))
    throw new TypeError('an object is no parameter of a statement: say json()')
  return value
}
