// What belongs to one request of a business, and ends with it. A function that a loop calls as well takes the held key alone,
// or null: no caller waits for the response.

import type { ApiError } from '../errors.ts'
import type { Business } from './caller.ts'

export type RequestScope = {
  business: Business
  /** The `Idempotency-Key` under which the response is stored; null where none was sent. */
  held: HeldKey | null
  turn: Turn
}

/** The turn of a request among those of its business. */
export type Turn = {
  /** @param go is called when the request may continue: at once, or in order of arrival; never after `end` */
  begin(go: () => void): void
  /** Begins a wait that needs no processor: the next request of the business may begin. */
  pause(): void
  /** Resolves when the request may continue, before requests that have not begun; at once after `end`, or without a pause. */
  resume(): Promise<void>
  /** Lets the next request of the business begin. Has an effect once. */
  end(): void
}

export type IdempotencyKey = { businessId: string; operation: string; key: string }

export type HeldKey = IdempotencyKey & {
  /** Names the request that holds the key: each holder has another. */
  fence: number
  /** What an earlier request with this key has begun. */
  subjectId: string | null
  /** Makes the response body of a success with this `data`, byte for byte. */
  textOf: (data: unknown) => string
  /** Makes the response body of a refusal, byte for byte. */
  textOfError: (error: ApiError) => string
  /** The body that a transaction of the request has stored; that transaction was rolled back if another body is sent. */
  storedText: string | null
}
