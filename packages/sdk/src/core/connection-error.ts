// The error for a failed or interrupted connection.

import { CausewayError } from './causeway-error.ts'

/** The connection failed, or closed before the response was complete. `code` is `connection_failed`. */
export class ConnectionError extends CausewayError {
  static override readonly brand = 'ConnectionError'
  declare readonly code: 'connection_failed'

  constructor(cause: unknown) {
    super('connection_failed', `No response: the connection failed. ${reasonOf(cause)}`.trim(), { cause })
  }
}

/** The cause, because fetch only says "fetch failed". */
function reasonOf(cause: unknown): string {
  const { cause: inner, message } = (cause ?? {}) as { cause?: { message?: string; code?: string }; message?: string }
  return inner?.message || inner?.code || message || ''
}
