// Random bytes for ids, of which a request needs two or three: drawn from the system 4 KiB at a time.

import { randomBytes, randomFillSync } from 'node:crypto'

const poolBytes = 4_096
/** Larger sizes are keys and secrets, which are rare and share a buffer with nothing. */
const pooledBytesMax = 16

/** Creates a source of random bytes. A call of `randomBytes` for each ID was 7% of the ingest of an event. */
export function pooledRandomBytes(): (size: number) => Buffer {
  const pool = Buffer.alloc(poolBytes)
  let used = poolBytes
  return (size) => {
    if (size > pooledBytesMax) return randomBytes(size)
    if (used + size > poolBytes) {
      randomFillSync(pool)
      used = 0
    }
    used += size
    return Buffer.from(pool.subarray(used - size, used))
  }
}
