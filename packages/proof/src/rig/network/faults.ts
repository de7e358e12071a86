// Network faults of a connection, as commands to a fault proxy.

/** Towards the server, or back to the client. */
export type Direction = 'toServer' | 'toClient'

export type Fault =
  /** Each piece arrives so much later; jitter is drawn for each, and never reorders. */
  | { kind: 'latency'; ms: number; jitterMs?: number }
  | { kind: 'bandwidth'; bytesPerSecond: number }
  /** Both sides are cut off once so many more bytes have passed in this direction; later bytes are lost. */
  | { kind: 'cut'; direction: Direction; afterBytes: number }
  /** Reading stops, so the sender's buffers fill up. After healing, everything arrives. */
  | { kind: 'stall' }
  /** This side is closed. The other side gets no notice, and its bytes are lost. */
  | { kind: 'halfOpen'; closed: 'client' | 'server' }
  /** Accepts, takes everything, passes nothing: in both directions, or in one. Healed, what lost bytes is reset. */
  | { kind: 'blackHole'; direction?: Direction }
  /** Nobody listens. Open connections continue. */
  | { kind: 'refuse' }
  /** RST to both sides. */
  | { kind: 'reset' }
  | CommitFault

/** Of PostgreSQL, both sides are reset at a COMMIT. */
export type CommitFault = {
  kind: 'commit'
  /** True: the COMMIT reaches the server, and its response is lost. False: the COMMIT is lost. */
  arrives: boolean
  /** Only that of a transaction with a statement which has this in its text. */
  of?: string
  /** Number of COMMITs. Default: 1. */
  times?: number
}
