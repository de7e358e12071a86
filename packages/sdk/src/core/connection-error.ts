// No connection, or one that was cut.

import { CausewayError } from './causeway-error.ts'

/** No connection, or it was cut before the answer was complete. `code` is `connection_failed`. */
export class ConnectionError extends CausewayError {
  static override readonly brand = 'ConnectionError'
  declare readonly code: 'connection_failed'

  constructor(cause: unknown) {
    super('connection_failed', `No answer: the connection failed. ${reasonOf(cause)}`.trim(), { cause })
  }
}

/** fetch says "fetch failed", and its cause says why. */
function reasonOf(cause: unknown): string {
  const { cause: inner, message } = (cause ?? {}) as { cause?: { message?: string; code?: string }; message?: string }
  return inner?.message || inner?.code || message || ''
}
