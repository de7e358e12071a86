// What businesses and their API keys need from this process.

import type { Core } from '../platform/core.ts'
import type { ApiKeyCache } from './api-key-cache.ts'
import type { LastUsedBuffer } from './last-used-buffer.ts'

export type ApiKeys = Core & {
  /** The holders of keys that were read a moment ago. */
  apiKeyCache: Pick<ApiKeyCache, 'holderOf' | 'forget'>
  /** The times at which keys were last used, until they are stored. */
  lastUsedBuffer: Pick<LastUsedBuffer, 'add'>
}
