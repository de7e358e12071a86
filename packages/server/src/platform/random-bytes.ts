// Randomness for ids, two or three a request: drawn from the system some hundred at a time.

import { randomBytes, randomFillSync } from 'node:crypto'

const poolBytes = 4_096
/** Larger ones are keys and secrets, which are rare: they share a buffer with nothing. */
const pooledBytesMax = 16

/** The same bytes as from `node:crypto`. A call of its own for each id was 7 % of taking an event in. */
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
