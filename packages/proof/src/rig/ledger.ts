// Everything that a run observed. Append-only.

/** One response, or none in time (`status` null). */
export type Answer = {
  what: 'event' | 'write' | 'read'
  call: string
  replica: string
  /** Milliseconds since 1970, of its end. */
  atMs: number
  tookMs: number
  status: number | null
  code: string | null
  hasRetryAfter: boolean
  isRetryable: boolean
}
/** The facts that the last 2xx acknowledged. If several concern one object, the last one counts. */
export type Acknowledged =
  | { kind: 'end-user'; business: number; externalUserId: string; id: string | null; isSubmitted: boolean }
  | {
      kind: 'account'
      business: number
      id: string
      address: string
      fee: string
      status: 'pending' | 'active' | 'deactivated'
    }
  /** Noted before it is sent, acknowledged or not. */
  | { kind: 'request for an account'; business: number; externalUserId: string; address: string }
  /** Forwarded as it was sent: with the body of this hash. */
  | { kind: 'event'; business: number; eventId: string; endUser: string; place: number; bodyHash: string }
  /** The same request under the same key gets this response, from every replica. */
  | { kind: 'repeat'; key: string; body: string }
/** A delivery at a receiver. `accepted`: the receiver responded with a 2xx while the connection was open. */
export type Attempt = {
  endpoint: string
  eventId: string
  webhookId: string
  sequence: number
  endUser: string
  place: number | null
  accepted: boolean
  /** By an independent library on arrival, the signing time included. */
  isVerified: boolean
  /** The signature is right for the time that it names, whatever that time is. */
  isSigned: boolean
  bodyHash: string
  signedAtMs: number
  /** Milliseconds since 1970, of its arrival. */
  atMs: number
  /** From its arrival to the response. */
  tookMs: number
  /** Names in the body that may belong to another business. */
  names: readonly string[]
}
export type ReadinessCheck = { replica: string; atMs: number; tookMs: number; status: number | null }
export type Span = { name: string; fromMs: number; toMs: number }
/** A problem of a caller: a final response that nobody should get, or no final response within its patience. */
export type Complaint = { kind: 'broken' | 'stuck'; text: string }

/** Everything that a run observed. Append-only; a failed run saves it as a file, and `npm run judge -- FILE` judges it again. */
export type Ledger = {
  /** From the first request until `stop`. */
  load: { fromMs: number; toMs: number }
  answers: readonly Answer[]
  acknowledged: readonly Acknowledged[]
  attempts: readonly Attempt[]
  pulled: ReadonlyMap<number, readonly { id: string; position: number }[]>
  checks: readonly ReadinessCheck[]
  spans: readonly Span[]
  /** How long each awaited recovery took, in the order of `untilServing`; null: not in time. */
  recoveries: readonly { name: string; tookMs: number | null }[]
  complaints: readonly Complaint[]
  counts: ReadonlyMap<string, number>
}

/** A ledger that is still written. */
export type Notes = {
  load: Ledger['load']
  answers: Answer[]
  acknowledged: Acknowledged[]
  attempts: readonly Attempt[]
  pulled: Map<number, { id: string; position: number }[]>
  checks: ReadinessCheck[]
  spans: Span[]
  recoveries: { name: string; tookMs: number | null }[]
  complaints: Complaint[]
  counts: Map<string, number>
}

/** @param attempts of the receivers, which append to it */
export function openLedger(attempts: readonly Attempt[] = []): Notes {
  return {
    load: { fromMs: Date.now(), toMs: 0 },
    answers: [],
    acknowledged: [],
    attempts,
    pulled: new Map(),
    checks: [],
    spans: [],
    recoveries: [],
    complaints: [],
    counts: new Map(),
  }
}

export function count({ counts }: Notes, name: string, by = 1): void {
  counts.set(name, (counts.get(name) ?? 0) + by)
}
