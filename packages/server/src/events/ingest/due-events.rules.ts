// Which due event is applied next while many are due: the businesses take turns, so that the events of a loud business hold up
// nobody else's state.

export type DueEvent = { eventId: string; businessId: string | null; dueAt: Date }

/** About 10 MB of IDs. Beyond them, events wait for their turn in the order of time. */
const sizeMax = 50_000
/** A transaction that took long may add a row before those seen already, by as much. */
const marginMs = 2_000

export class DueEvents {
  readonly #byBusiness = new Map<string, string[]>()
  readonly #ids = new Set<string>()
  #from: Date | null = null

  /** The time from which to read further due events; null when no more are wanted now. @param front nothing is due before it */
  readFrom(front: Date): Date | null {
    if (this.#ids.size >= sizeMax) return null
    return this.#from !== null && this.#from > front ? this.#from : front
  }

  /** Takes in events in the order of their time, known ones among them. */
  add(events: readonly DueEvent[]): void {
    for (const { eventId, businessId } of events) {
      if (this.#ids.has(eventId)) continue
      this.#ids.add(eventId)
      const owner = businessId ?? ''
      const waiting = this.#byBusiness.get(owner)
      if (waiting) waiting.push(eventId)
      else this.#byBusiness.set(owner, [eventId])
    }
    const last = events.at(-1)
    if (last) this.#from = new Date(last.dueAt.getTime() - marginMs)
  }

  /** Takes the oldest event of the business whose turn it is. */
  next(): string | undefined {
    // A Map keeps the order of insertion: the business that was served goes to its end.
    const [turn] = this.#byBusiness
    if (!turn) {
      this.#from = null
      return
    }
    const [owner, waiting] = turn
    const eventId = waiting.shift()
    this.#byBusiness.delete(owner)
    if (waiting.length > 0) this.#byBusiness.set(owner, waiting)
    if (eventId !== undefined) this.#ids.delete(eventId)
    return eventId
  }
}
