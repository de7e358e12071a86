// What every service gets handed first. Made once, in main.ts; clock and randomness come in here and nowhere else.

import type { KeyObject } from 'node:crypto'
import type { Config } from '../config.ts'
import type { Log } from '../observe/log.ts'
import type { Provider } from '../provider/port.ts'
import type { Database } from '../store/db.ts'
import type { SecretBox } from './secret-box.ts'

export type Deps = {
  config: Config
  db: Database
  provider: Provider
  log: Log
  secrets: SecretBox
  /** Milliseconds since 1970. Leases and windows use the database's time instead. */
  now: () => number
  randomBytes: (size: number) => Buffer
  /** Public keys of the provider's webhook endpoints: configured ones and those that `provider connect` stored. */
  providerKeys: () => Promise<readonly KeyObject[]>
  /** Tells the loops that there is work; cheap, never throws. */
  wake: (loop: 'apply' | 'send' | 'resume') => void
}
