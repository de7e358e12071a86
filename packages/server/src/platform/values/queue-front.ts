// Where a queue that is ordered by time begins, as last seen. Before it lies only what is over, and while some snapshot keeps
// that from being removed, whoever starts at the very beginning goes through all of it.

const beginning = new Date(0)
/** What is added by a transaction that took long may lie before what was seen already, by as much. */
const marginMs = 2_000
/** Then it is looked for from the beginning once, in case one took longer. */
const periodMs = 60_000

export class QueueFront {
  #from = beginning
  #resetAtMs = 0

  /** From when on to look. @param nowMs on a clock that only moves forward */
  from(nowMs: number): Date {
    if (nowMs >= this.#resetAtMs) {
      this.#resetAtMs = nowMs + periodMs
      this.#from = beginning
    }
    return this.#from
  }

  /** @param first the first that was there, looking from `from`; nothing is added before the moment it was seen */
  saw(first: Date): void {
    this.#from = new Date(first.getTime() - marginMs)
  }
}
