// Lists: `await` returns one page, and a loop returns every item, page after page.

import { ApiPromise, type WithResponse } from './response.ts'

/** A page of a list, newest first. */
export interface Page<Item> {
  readonly data: readonly Item[]
  /** The cursor of the next page; null on the last page. Pass it as `cursor` to continue later. */
  readonly nextCursor: string | null
  /** Reads the next page. @returns null after the last page */
  next(): Promise<Page<Item> | null>
}

/** The cursor of a page, and its size if the caller set none. */
export interface PageRequest {
  readonly cursor?: string
  readonly limit?: number
}

type ReadPage<Item> = (
  request: PageRequest,
) => Promise<WithResponse<readonly Item[]> & { readonly nextCursor: string | null }>

/** The maximum page size of all lists of the API. */
const limitMax = 100

/**
 * A list that is read on demand: `await` returns the first page, `for await` every item. Both reject with the errors of a
 * request: ApiError, ConnectionError, TimeoutError, AbortedError.
 */
export class List<Item> extends ApiPromise<Page<Item>> implements AsyncIterable<Item> {
  override readonly [Symbol.toStringTag] = 'List'
  readonly #read: ReadPage<Item>

  constructor(read: ReadPage<Item>) {
    let first: Promise<WithResponse<Page<Item>>> | undefined
    super(() => (first ??= pageOf(read, {})))
    this.#read = read
  }

  /** Reads the list from its first page on. A second loop reads the list again. */
  [Symbol.asyncIterator](): AsyncGenerator<Item, void> {
    return itemsOf(this.#read, {})
  }

  /**
   * Reads items into an array, in pages of up to 100 unless the list was given a `limit`.
   * @param max maximum number of items, because a list can be larger than memory
   */
  async toArray({ max }: { max: number }): Promise<Item[]> {
    if (!(max > 0)) throw new RangeError('toArray requires a maximum, such as { max: 1000 }.')
    const items: Item[] = []
    const limit = Math.min(limitMax, Math.ceil(max))
    for await (const item of itemsOf(this.#read, { limit })) if (items.push(item) >= max) break
    return items
  }
}

async function* itemsOf<Item>(read: ReadPage<Item>, request: PageRequest): AsyncGenerator<Item, void> {
  let page: Page<Item> | null = (await pageOf(read, request)).data
  while (page !== null) {
    yield* page.data
    page = await page.next()
  }
}

async function pageOf<Item>(read: ReadPage<Item>, request: PageRequest): Promise<WithResponse<Page<Item>>> {
  const { data, nextCursor, ...response } = await read(request)
  const next = async (): Promise<Page<Item> | null> =>
    nextCursor === null ? null : (await pageOf(read, { ...request, cursor: nextCursor })).data
  return { ...response, data: { data, nextCursor, next } }
}
