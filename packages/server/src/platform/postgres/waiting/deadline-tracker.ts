// Deadlines of everyone who waits for the database. A host that lost its power does not even refuse: the system gives the
// connection up after minutes.

type Wait = { endIn(ms: number): void }

export class DeadlineTracker {
  #limitMs: number
  readonly #failure: () => Error
  readonly #waits = new Set<Wait>()

  /** @param failure makes what is thrown at the deadline */
  constructor(limitMs: number, failure: () => Error) {
    this.#limitMs = limitMs
    this.#failure = failure
  }

  /** Shortens the limit, also of the waits that run. */
  shorten(limitMs: number): void {
    this.#limitMs = Math.min(this.#limitMs, limitMs)
    for (const wait of this.#waits) wait.endIn(this.#limitMs)
  }

  /**
   * Runs `work` under the limit, or under a shorter one of its own.
   * @param work may call `inTime` to end its deadline early; the answer says whether the deadline had not passed. `isLate` only
   * looks
   */
  async bound<T>(
    work: (inTime: () => boolean, isLate: () => boolean) => Promise<T>,
    ownLimitMs = Number.POSITIVE_INFINITY,
  ): Promise<T> {
    const late = Promise.withResolvers<never>()
    let isLate = false
    let timer: NodeJS.Timeout | undefined
    const expire = () => {
      isLate = true
      late.reject(this.#failure())
    }
    const wait: Wait = {
      endIn(ms) {
        clearTimeout(timer)
        timer = setTimeout(expire, ms)
      },
    }
    const end = () => {
      clearTimeout(timer)
      this.#waits.delete(wait)
      return !isLate
    }
    wait.endIn(Math.min(ownLimitMs, this.#limitMs))
    this.#waits.add(wait)
    return await Promise.race([work(end, () => isLate), late.promise]).finally(end)
  }
}
