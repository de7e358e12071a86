// Short messages that come and go. Their library is loaded with the first one.

import { type ComponentType, useSyncExternalStore } from 'react'

type Loaded = typeof import('sonner')

let loaded: Loaded | null = null
const watchers = new Set<() => void>()

async function load(): Promise<Loaded> {
  loaded ??= await import('sonner')
  for (const watch of watchers) watch()
  return loaded
}

export const toast = {
  success: (text: string): void => void load().then((sonner) => sonner.toast.success(text)),
  error: (text: string): void => void load().then((sonner) => sonner.toast.error(text)),
}

/** Where they appear. */
export function Toasts() {
  const sonner = useSyncExternalStore(
    (watch) => {
      watchers.add(watch)
      return () => watchers.delete(watch)
    },
    () => loaded,
  )
  if (sonner === null) return null
  const Toaster: ComponentType<{ position: 'bottom-right'; theme: 'system' }> = sonner.Toaster
  return <Toaster position="bottom-right" theme="system" />
}
