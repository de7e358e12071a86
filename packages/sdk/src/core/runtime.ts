// The clock and chance of the runtime: the one place of this package that asks for them.

/** @returns milliseconds since 1970 */
export function currentTimeMs(): number {
  return Date.now()
}

/** @returns a number from 0 up to, not including, 1 */
export function drawFraction(): number {
  return Math.random()
}

/** `crypto.randomUUID` is missing in browsers on a page without https, and this works there too. @returns 32 hex digits */
export function drawId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Waits. An abort of the signal ends the wait early, and is no error here: the next attempt says so. */
export function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    if (signal?.aborted) end()
    else signal?.addEventListener('abort', end)
  })
}
