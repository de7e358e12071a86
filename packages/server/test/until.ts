// Waits until something is so; and a free port.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

/**
 * Looks until it finds something other than null, undefined or false; fails after `limitMs`. The pauses grow with the time
 * that has passed: a look through the API is a request of 5 ms of CPU.
 */
export async function until<T>(
  what: string,
  look: () => Promise<T | null | undefined | false> | T | null | undefined | false,
  limitMs = 30_000,
): Promise<T> {
  const beganMs = performance.now()
  for (;;) {
    const found = await look()
    if (found) return found
    const passedMs = performance.now() - beganMs
    if (passedMs > limitMs) assert.fail(`${what} did not come within ${limitMs / 1000} s`)
    await delay(Math.min(Math.max(20, passedMs / 6), 200))
  }
}

/** @returns a port of this machine that nobody listens on at the moment */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}
