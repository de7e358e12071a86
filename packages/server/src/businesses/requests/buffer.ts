// Requests that are not written down yet. The log of requests takes what the process and the database have to spare: over the
// limit, and while the database is away, requests are counted instead of kept.

import { requestsUnlogged } from '../../platform/observe/metrics.ts'
import type { RequestRow } from './store.ts'

// Two seconds at the most that a process can serve. A row has some 300 bytes.
const rowsMax = 20_000
/** What one business may take of it: a loud one leaves room for the others. */
const rowsOfBusinessMax = rowsMax / 2

export class RequestLogBuffer {
  #rows: RequestRow[] = []
  #ofBusiness = new Map<string, number>()

  add(row: RequestRow): void {
    const count = this.#ofBusiness.get(row.businessId) ?? 0
    if (this.#rows.length >= rowsMax || count >= rowsOfBusinessMax) {
      requestsUnlogged.inc()
    } else {
      this.#rows.push(row)
      this.#ofBusiness.set(row.businessId, count + 1)
    }
  }

  /** Empties the buffer. @returns the oldest row first */
  takeAll(): RequestRow[] {
    const rows = this.#rows
    this.#rows = []
    this.#ofBusiness = new Map()
    return rows
  }
}
