// Why the embedded database could not be started, stopped or forgotten: each message says what to do about it.

export type EmbeddedReason =
  /** No binaries for this machine, or they do not run here. */
  | 'unsupported'
  /** A directory belongs to someone else, or someone else could change it. */
  | 'unsafe_path'
  /** The state was made elsewhere or by another user, so its database is not the one found here. */
  | 'elsewhere'
  /** The data directory was written by another major version. */
  | 'other_major'
  /** Another process works with this database. */
  | 'in_use'
  /** Another program responds or blocks the start, and we cannot prove that it is our server. */
  | 'not_ours'
  /** PostgreSQL or the file system said no; the message carries what it said. */
  | 'failed'

export class EmbeddedError extends Error {
  override readonly name: string = 'EmbeddedError'
  readonly reason: EmbeddedReason

  constructor(reason: EmbeddedReason, message: string, cause?: unknown) {
    super(message, { cause })
    this.reason = reason
  }
}

export class EmbeddedInUse extends EmbeddedError {
  override readonly name = 'EmbeddedInUse'

  constructor(home: string) {
    super(
      'in_use',
      `Another process already works with the database of ${home}. Stop it first, or set CAUSEWAY_HOME to another directory.`,
    )
  }
}

/** Gives an error of the system (disk full, no permission) a reason; errors of this package stay as they are. */
export function asEmbeddedError(error: unknown): EmbeddedError {
  if (error instanceof EmbeddedError) return error
  const text = error instanceof Error ? error.message : String(error)
  return new EmbeddedError('failed', `The embedded database failed: ${text}`, error)
}
