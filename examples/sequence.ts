// Notices gaps: the numbers of an endpoint are 1, 2, 3, … without one missing, but they may come out of order.

export class Sequence {
  #complete = 0 // all up to this one have come
  readonly #ahead = new Set<number>() // and these above it

  add(number: number): void {
    this.#ahead.add(number)
    while (this.#ahead.delete(this.#complete + 1)) this.#complete++
  }

  /** The numbers that have not come, up to the last one given out. */
  missingUpTo(last: number): number[] {
    const missing: number[] = []
    for (let number = this.#complete + 1; number <= last; number++) if (!this.#ahead.has(number)) missing.push(number)
    return missing
  }
}
