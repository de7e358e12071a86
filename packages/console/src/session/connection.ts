// Whether the server can be reached, as the browser says and as the latest request has shown.

import { useSyncExternalStore } from 'react'

let isReached = true
let offlineAtMs = Number.NEGATIVE_INFINITY
const watchers = new Set<() => void>()

function note(reached: boolean): void {
  if (reached === isReached) return
  isReached = reached
  for (const watch of watchers) watch()
}

/**
 * A response to a request from before the browser went offline shows nothing about now.
 * @param reached whether the server responded, with any status
 * @param beganMs when the request began, by `performance.now()`
 */
export function noteConnection(reached: boolean, beganMs: number): void {
  if (!reached || beganMs >= offlineAtMs) note(reached)
}

window.addEventListener('offline', () => {
  offlineAtMs = performance.now()
  note(false)
})
window.addEventListener('online', () => note(true))

export function useConnection(): boolean {
  return useSyncExternalStore(
    (watch) => {
      watchers.add(watch)
      return () => watchers.delete(watch)
    },
    () => isReached,
  )
}
