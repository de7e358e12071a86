// What sessions of the console need from others.

import type { ApiKeys } from '../businesses/ports.ts'
import type { ServerCore } from '../platform/core.ts'

export type Sessions = ServerCore &
  ApiKeys & {
    /** Null unless the provider is the emulator. */
    sandbox: object | null
  }
