// A successful response, for callers who need more than its `data`.

/** A success with the status and headers of its HTTP response. */
export interface WithResponse<Data> {
  readonly data: Data
  /** The HTTP status. */
  readonly status: number
  /** Quote this ID when you ask about the request. Null if the response had none. */
  readonly requestId: string | null
  readonly headers: Headers
}

/** A promise of the `data` of a response. `withResponse()` also returns the status, the request ID and the headers. */
export class ApiPromise<Data> implements Promise<Data> {
  readonly [Symbol.toStringTag]: string = 'ApiPromise'
  readonly #read: () => Promise<WithResponse<Data>>

  constructor(read: () => Promise<WithResponse<Data>>) {
    this.#read = read
  }

  /** Waits for the same response as `await`, without another request. */
  withResponse(): Promise<WithResponse<Data>> {
    return this.#read()
  }

  // biome-ignore lint/suspicious/noThenProperty: a call is awaited for its data
  then<Result = Data, Failure = never>(
    onData?: ((data: Data) => Result | PromiseLike<Result>) | null,
    onFailure?: ((reason: unknown) => Failure | PromiseLike<Failure>) | null,
  ): Promise<Result | Failure> {
    return this.#read()
      .then(({ data }) => data)
      .then(onData, onFailure)
  }

  catch<Failure = never>(
    onFailure?: ((reason: unknown) => Failure | PromiseLike<Failure>) | null,
  ): Promise<Data | Failure> {
    return this.then(null, onFailure)
  }

  finally(onEnd?: (() => void) | null): Promise<Data> {
    return this.then().finally(onEnd)
  }
}
