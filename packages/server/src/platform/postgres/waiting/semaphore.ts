// Limits how many use something at once; the others wait their turn.

type Waiting = { isLate: () => boolean; enter: () => void }

export class Semaphore {
  #free: number
  readonly #waiting: Waiting[] = []

  constructor(max: number) {
    this.#free = max
  }

  /**
   * Takes a place as soon as one is free, in the order of the calls. `leave` returns it.
   * @param isLate returns whether the caller has stopped waiting: such a caller gets no place
   */
  async enter(isLate: () => boolean): Promise<void> {
    if (this.#free > 0) {
      this.#free -= 1
      return
    }
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.push({ isLate, enter: resolve })
    await promise
  }

  leave(): void {
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      if (next.isLate()) continue
      next.enter()
      return
    }
    this.#free += 1
  }
}
