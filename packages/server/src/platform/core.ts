// What every service may use: nothing of a subject, and nothing of one request.

import type { Config } from './config.ts'
import type { Log } from './observe/log.ts'
import type { BusinessDatabase, Database } from './postgres/database.ts'
import type { LoopName } from './postgres/notify.ts'
import type { SecretBox } from './secrets/secret-box.ts'

export type Core = {
  config: Config
  /** For the requests of one business: to them no other's rows exist. */
  db: BusinessDatabase
  log: Log
  secrets: SecretBox
  /** Milliseconds since 1970. Leases and windows use the database's time instead. */
  now: () => number
  randomBytes: (size: number) => Buffer
  /** Whether the provider has hosted KYC pages: without them no end-user is sent to one. */
  hasKycPages: boolean
  /** Tells the loops that there is work; cheap, never throws. */
  wake: (loop: LoopName) => void
}

/** With the whole database: for what crosses businesses. */
export type ServerCore = Core & { db: Database }

/** Takes the core out of what a process has started. */
export function serverCoreOf({
  config,
  db,
  log,
  secrets,
  now,
  randomBytes,
  hasKycPages,
  wake,
}: ServerCore): ServerCore {
  return { config, db, log, secrets, now, randomBytes, hasKycPages, wake }
}

/** Makes the core for the requests of a business: the only way to one. */
export function coreOf(core: ServerCore, businessId: string): Core {
  return { ...serverCoreOf(core), db: core.db.of(businessId) }
}
