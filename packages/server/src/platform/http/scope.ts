// State of one request of a business. A function that loops also call takes only the held key, or null: no caller waits
// for the response.

import type { ApiError } from '../errors.ts'
import type { Business } from './caller.ts'

export type RequestScope = {
  business: Business
  /** The `Idempotency-Key` under which the response is stored; null if the caller sent none. */
  held: HeldKey | null
  turn: Turn
}

/** The turn of a request among the requests of its business. */
export type Turn = {
  /** @param go is called when the request may continue: at once, or in order of arrival; never after `end` */
  begin(go: () => void): void
  /** Begins a wait that needs no processor, so the next request of the business may begin. */
  pause(): void
  /**
   * Resolves when the request may continue, ahead of requests that have not begun. Resolves at once after `end`, or
   * without a pause.
   */
  resume(): Promise<void>
  /** Lets the next request of the business begin. Only the first call has an effect. */
  end(): void
}

export type IdempotencyKey = { businessId: string; operation: string; key: string }

export type HeldKey = IdempotencyKey & {
  /** Identifies the request that holds the key: each holder has another number. */
  fence: number
  /** ID of the object that an earlier request with this key has begun. */
  subjectId: string | null
  /** Renders the response body of a success with this `data`, byte for byte. */
  textOf: (data: unknown) => string
  /** Renders the response body of an error, byte for byte. */
  textOfError: (error: ApiError) => string
  /**
   * The body that a transaction of the request has stored. If another body is sent, that transaction was rolled back.
   */
  storedText: string | null
}
