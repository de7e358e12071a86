// Deadlines for everyone who waits for the database. A host without power does not refuse connections: the operating
// system gives up only after minutes.

type Wait = { endIn(ms: number): void }

export class DeadlineTracker {
  #limitMs: number
  readonly #failure: () => Error
  readonly #waits = new Set<Wait>()

  /** @param failure creates the error that is thrown at the deadline */
  constructor(limitMs: number, failure: () => Error) {
    this.#limitMs = limitMs
    this.#failure = failure
  }

  /** Shortens the limit, also of current waits. */
  shorten(limitMs: number): void {
    this.#limitMs = Math.min(this.#limitMs, limitMs)
    for (const wait of this.#waits) wait.endIn(this.#limitMs)
  }

  /**
   * Runs `work` under the limit, or under a shorter limit.
   * @param work may call `inTime` to end its deadline early; it returns whether the deadline had not passed. `isLate`
   * only checks
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
