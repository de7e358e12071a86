// Dependencies of businesses and their API keys.

import type { Core } from '../platform/core.ts'
import type { ApiKeyCache } from './api-key-cache.ts'
import type { LastUsedBuffer } from './last-used-buffer.ts'

export type ApiKeys = Core & {
  /** The cached holders of keys. */
  apiKeyCache: Pick<ApiKeyCache, 'holderOf' | 'forget'>
  /** The last use of keys, buffered until stored. */
  lastUsedBuffer: Pick<LastUsedBuffer, 'add'>
}
