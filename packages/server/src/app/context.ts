// What every service gets handed first. Made once, in main.ts; clock and randomness come in here and nowhere else.

import type { ApiKeyCache } from '../businesses/api-key-cache.ts'
import type { LastUsedBuffer } from '../businesses/last-used-buffer.ts'
import type { RequestLogBuffer } from '../businesses/requests/buffer.ts'
import type { EndUserKey, EndUserRow } from '../end-users/store.ts'
import type { GroupCommit } from '../events/ingest/group-commit.ts'
import type { LocalRelay } from '../events/local-relay.ts'
import type { EventReaders } from '../events/readers.ts'
import type { WorkRow } from '../events/work.store.ts'
import type { Config } from '../platform/config.ts'
import type { ApiError } from '../platform/errors.ts'
import type { Log } from '../platform/observe/log.ts'
import type { BusinessDatabase, Database } from '../platform/postgres/db.ts'
import type { LoopName } from '../platform/postgres/notify.ts'
import type { Tx } from '../platform/postgres/query.ts'
import type { SecretBox } from '../platform/secrets/secret-box.ts'
import type { Provider } from '../provider/client.ts'
import type { ProviderEvent } from '../provider/port.ts'
import type { SandboxControl } from '../provider/sandbox-control.ts'
import type { SignatureVerdict } from '../provider/signature.ts'

export type Deps = {
  config: Config
  /** What one business sees of it, or all of it. */
  db: BusinessDatabase
  /** The `Idempotency-Key` that the request holds for which this is. */
  heldKey: HeldKey | null
  provider: Provider
  /** Null unless the provider is the emulator. */
  sandbox: SandboxControl | null
  log: Log
  secrets: SecretBox
  lastUsedBuffer: LastUsedBuffer
  requestLog: RequestLogBuffer
  apiKeyCache: ApiKeyCache
  /** Of this process; under this name it holds lanes. */
  instanceId: string
  /** What this process does of the service; `api`: requests only, `relay`: what happens in the background only. */
  role: 'all' | 'api' | 'relay'
  /** The relay of this process, for those who store deliveries. */
  localRelay: LocalRelay
  /** Commits the provider's events, many in one transaction. */
  groupCommit: GroupCommit
  /** The handler of an event of the provider; null for an event that moves no state of ours and is only forwarded. */
  eventHandlerOf: (event: ProviderEvent) => EventHandler | null
  /** Who waits for the next event of a business. */
  eventReaders: EventReaders
  /** Onboarding pages that wait for a change. They take no places of the business's own readers. */
  pageReaders: EventReaders
  /** Milliseconds since 1970. Leases and windows use the database's time instead. */
  now: () => number
  randomBytes: (size: number) => Buffer
  /** Checks a provider signature over the raw bytes, against the configured keys and those that `provider connect` stored. */
  verifyEvent: (rawBody: Buffer, header: string | undefined) => Promise<SignatureVerdict>
  /** Registered by virtual-accounts/: lets accounts follow a verdict. Called once the verdict is committed. */
  followVerdict: (deps: Deps, user: EndUserKey) => Promise<void>
  /** Registered by onboarding/, whose links a verdict ends. Called behind the events of the verdict, in its transaction. */
  onVerdict: (deps: Deps, tx: Tx, user: EndUserRow) => Promise<void>
  /** Tells the loops that there is work; cheap, never throws. */
  wake: (loop: LoopName) => void
}

export type OwnedEvent = WorkRow & { businessId: string }

/**
 * `unknown_account`: the event may have overtaken the answer that creates its account. `busy_account`: a change of the
 * account is under way.
 */
export type Applied = 'applied' | 'unknown_account' | 'busy_account'

/** How a subject's state follows its events. Both may be repeated for the same event, in any order with others. */
export type EventHandler = {
  /** Applies what a verified event says, in the transaction that holds it. Without this function the provider is read. */
  apply?(deps: Deps, tx: Tx, event: OwnedEvent, read: ProviderEvent): Promise<Applied>
  /** Reads at the provider what the event hints at, with no transaction open, and applies the answer. */
  read(deps: Deps, event: OwnedEvent, read: ProviderEvent): Promise<Applied>
  /** Called once, for an event without a known owner. `waits`: the owner may become known later. */
  withoutOwner?(tx: Tx, read: ProviderEvent): Promise<'applied' | 'waits'>
}

export type IdempotencyKey = { businessId: string; operation: string; key: string }

export type HeldKey = IdempotencyKey & {
  /** Names the request that holds the key: each holder has another. */
  fence: number
  /** What an earlier request with this key has begun. */
  subjectId: string | null
  /** The body that the caller is sent when this is the `data` of a success, byte for byte. */
  textOf: (data: unknown) => string
  /** The body that the caller is sent of a refusal, byte for byte. */
  textOfError: (error: ApiError) => string
  /** The body that a transaction of the request has stored. It was rolled back if another body is sent in the end. */
  storedText: string | null
}

/** With the whole database: for what crosses businesses. */
export type ServerDeps = Deps & { db: Database }

/** For the requests of one business: to them no other's rows exist. */
export const depsFor = (deps: ServerDeps, businessId: string): Deps => ({ ...deps, db: deps.db.of(businessId) })
