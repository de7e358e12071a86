// The time from which a queue is read. Rows before it are dead, but a long snapshot keeps VACUUM from removing them, and an
// index scan from the very beginning would read every one of them again.

const beginning = new Date(0)
/** A transaction that took long may add a row before those seen already, by as much. */
const marginMs = 2_000
/** How often the queue is read from its beginning, in case a transaction took longer than the margin. */
const periodMs = 60_000

export class QueueFront {
  #from = beginning
  #resetAtMs = 0

  /** @param nowMs on a clock that only moves forward @returns the time from which to read */
  from(nowMs: number): Date {
    if (nowMs >= this.#resetAtMs) {
      this.#resetAtMs = nowMs + periodMs
      this.#from = beginning
    }
    return this.#from
  }

  /** Moves the front. @param first the time of the first row found; no row is added before the moment it was seen */
  saw(first: Date): void {
    this.#from = new Date(first.getTime() - marginMs)
  }
}
