// Which due event is applied next while many are due: the businesses take turns, so that the events of a loud business hold up
// nobody else's state.

export type DueEvent = { eventId: string; businessId: string | null; dueAt: Date }

/** A place in the order of due events, in which the events of one moment follow each other by their IDs. */
export type Place = { dueAt: Date; eventId: string }

/** About 10 MB of IDs. Beyond them, events wait for their turn in the order of time. */
const sizeMax = 50_000
/** A transaction that took long may add a row before those seen already, by as much. */
const marginMs = 2_000

export class DueEvents {
  readonly #byBusiness = new Map<string, string[]>()
  readonly #ids = new Set<string>()
  #last: Place | null = null
  #isMoreBehind = false

  /**
   * The place behind which to read further due events; null when no more are wanted now.
   * @param front nothing is due before it
   */
  readBehind(front: Date): Place | null {
    if (this.#ids.size >= sizeMax) return null
    const last = this.#last ?? before(front)
    // Within the margin there may be more events than fit on a page: only after the last page it is read again.
    const place = this.#isMoreBehind ? last : before(new Date(last.dueAt.getTime() - marginMs))
    return place.dueAt > front ? place : before(front)
  }

  /**
   * Takes in a page of events in the order of their time, known ones among them.
   * @param isFull whether more events may follow
   */
  add(events: readonly DueEvent[], isFull: boolean): void {
    for (const { eventId, businessId } of events) {
      if (this.#ids.has(eventId)) continue
      this.#ids.add(eventId)
      const owner = businessId ?? ''
      const waiting = this.#byBusiness.get(owner)
      if (waiting) waiting.push(eventId)
      else this.#byBusiness.set(owner, [eventId])
    }
    this.#last = events.at(-1) ?? this.#last
    this.#isMoreBehind = isFull
  }

  /** Takes the oldest event of the business whose turn it is. */
  next(): string | undefined {
    // A Map keeps the order of insertion: the business that was served goes to its end.
    const [turn] = this.#byBusiness
    if (!turn) {
      this.#last = null
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

/** No event's ID is empty. */
const before = (dueAt: Date): Place => ({ dueAt, eventId: '' })
