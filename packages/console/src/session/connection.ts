// Whether the server can be reached, as the browser says and as the latest request has shown.

import { useSyncExternalStore } from 'react'

let isReached = true
const watchers = new Set<() => void>()

/** @param reached whether the server responded, with any status */
export function noteConnection(reached: boolean): void {
  if (reached === isReached) return
  isReached = reached
  for (const watch of watchers) watch()
}

window.addEventListener('offline', () => noteConnection(false))
window.addEventListener('online', () => noteConnection(true))

export function useConnection(): boolean {
  return useSyncExternalStore(
    (watch) => {
      watchers.add(watch)
      return () => watchers.delete(watch)
    },
    () => isReached,
  )
}
