// Chooses which due event is applied next: businesses take turns, so that many events of one business do not delay
// others.

export type DueEvent = { eventId: string; businessId: string | null; dueAt: Date }

/** A place in the order of due events; events with the same time are ordered by ID. */
export type Place = { dueAt: Date; eventId: string }

/** About 10 MB of IDs. Events beyond this number wait in the order of time. */
const sizeMax = 50_000
/** A long transaction may add a row this much earlier than rows that were already read. */
const marginMs = 2_000

export class DueEvents {
  readonly #byBusiness = new Map<string, string[]>()
  readonly #ids = new Set<string>()
  #last: Place | null = null
  #isMoreBehind = false

  /**
   * The place after which to read further due events; null if no more are needed now.
   * @param front nothing is due before it
   */
  readBehind(front: Date): Place | null {
    if (this.#ids.size >= sizeMax) return null
    const last = this.#last ?? before(front)
    // More events than fit on a page may be within the margin: read the margin again only after the last page.
    const place = this.#isMoreBehind ? last : before(new Date(last.dueAt.getTime() - marginMs))
    return place.dueAt > front ? place : before(front)
  }

  /**
   * Adds a page of events in the order of their time, including known ones.
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
