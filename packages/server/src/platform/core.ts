// Dependencies that every service may use. Nothing here belongs to a subject or to one request.

import type { Config } from './config.ts'
import type { Log } from './observe/log.ts'
import type { BusinessDatabase, Database } from './postgres/database.ts'
import type { LoopName } from './postgres/notify.ts'
import type { SecretBox } from './secrets/secret-box.ts'

/** `LocalRelay` of events/local-relay.ts, whose deliveries are unknown here. */
interface DeliveryReceiver {
  readonly receiver: string | null
  handOver(stored: readonly object[]): void
}

export type Core = {
  config: Config
  /** For requests of one business: rows of other businesses are invisible. */
  db: BusinessDatabase
  log: Log
  secrets: SecretBox
  /** Milliseconds since 1970. Leases and windows use the database's time instead. */
  now: () => number
  randomBytes: (size: number) => Buffer
  /** Whether the provider has hosted KYC pages. Without them, no end-user is sent to a KYC page. */
  hasKycPages: boolean
  /** Wakes a loop because it has work. Cheap, never throws. */
  wake: (loop: LoopName) => void
  /** Takes deliveries that this process has stored and committed in lanes that it holds. */
  localRelay: DeliveryReceiver
}

/** With the whole database, for work across businesses. */
export type ServerCore = Core & { db: Database }

/** Extracts the core from the parts that a process has started. */
export function serverCoreOf({
  config,
  db,
  log,
  secrets,
  now,
  randomBytes,
  hasKycPages,
  wake,
  localRelay,
}: ServerCore): ServerCore {
  return { config, db, log, secrets, now, randomBytes, hasKycPages, wake, localRelay }
}

/** Creates the core for the requests of a business. There is no other way to get one. */
export function coreOf(core: ServerCore, businessId: string): Core {
  return { ...serverCoreOf(core), db: core.db.of(businessId) }
}
