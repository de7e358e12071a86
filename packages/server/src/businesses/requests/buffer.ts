// Requests that are not stored yet. The request log uses only spare capacity: above the limit, and while the database
// is unavailable, requests are counted instead of stored.

import { requestsUnlogged } from '../../platform/observe/metrics.ts'
import type { RequestRow } from './store.ts'

// Two seconds at the maximum rate of a process. A row has about 300 bytes.
const rowsMax = 20_000
/** Limit per business, so that a busy one leaves space for the others. */
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
