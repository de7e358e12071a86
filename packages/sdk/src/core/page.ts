// Lists: awaited, one page; iterated, every item, page after page.

/** A page of a list, newest first. */
export interface Page<Item> {
  readonly data: readonly Item[]
  /** Where the next page begins; null behind the last one. Pass it as `cursor` to go on later. */
  readonly nextCursor: string | null
  /** Reads the next page. @returns null behind the last one */
  next(): Promise<Page<Item> | null>
}

type ReadPage<Item> = (cursor: string | undefined) => Promise<{ data: readonly Item[]; nextCursor: string | null }>

/**
 * A list that is read when it is used: `await` gives the first page, `for await` every item.
 * Both reject with what a request ends with: ApiError, ConnectionError, TimeoutError, AbortedError.
 */
export class List<Item> implements Promise<Page<Item>>, AsyncIterable<Item> {
  readonly [Symbol.toStringTag] = 'List'
  readonly #read: ReadPage<Item>
  #first: Promise<Page<Item>> | null = null

  constructor(read: ReadPage<Item>) {
    this.#read = read
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void> {
    let page: Page<Item> | null = await this
    while (page !== null) {
      yield* page.data
      page = await page.next()
    }
  }

  /**
   * Reads items into an array.
   * @param max how many at most: a list can be longer than memory
   */
  async toArray({ max }: { max: number }): Promise<Item[]> {
    if (!(max > 0)) throw new RangeError('toArray needs a bound: { max: 1000 }.')
    const items: Item[] = []
    for await (const item of this) if (items.push(item) >= max) break
    return items
  }

  // biome-ignore lint/suspicious/noThenProperty: a list is awaited for its first page
  then<Result = Page<Item>, Failure = never>(
    onPage?: ((page: Page<Item>) => Result | PromiseLike<Result>) | null,
    onFailure?: ((reason: unknown) => Failure | PromiseLike<Failure>) | null,
  ): Promise<Result | Failure> {
    this.#first ??= this.#page(undefined)
    return this.#first.then(onPage, onFailure)
  }

  catch<Failure = never>(
    onFailure?: ((reason: unknown) => Failure | PromiseLike<Failure>) | null,
  ): Promise<Page<Item> | Failure> {
    return this.then(null, onFailure)
  }

  finally(onEnd?: (() => void) | null): Promise<Page<Item>> {
    return this.then().finally(onEnd)
  }

  async #page(cursor: string | undefined): Promise<Page<Item>> {
    const { data, nextCursor } = await this.#read(cursor)
    const next = async (): Promise<Page<Item> | null> => (nextCursor === null ? null : await this.#page(nextCursor))
    return { data, nextCursor, next }
  }
}
