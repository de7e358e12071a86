// Light or dark: as the system has it, unless the reader chose.

import { useSyncExternalStore } from 'react'

export type Theme = 'system' | 'light' | 'dark'

const key = 'causeway-theme'
const dark = matchMedia('(prefers-color-scheme: dark)')
const watchers = new Set<() => void>()

const read = (): Theme => {
  const stored = localStorage.getItem(key)
  return stored === 'light' || stored === 'dark' ? stored : 'system'
}

export function applyTheme(): void {
  const theme = read()
  document.documentElement.classList.toggle('dark', theme === 'dark' || (theme === 'system' && dark.matches))
}

export function setTheme(theme: Theme): void {
  if (theme === 'system') localStorage.removeItem(key)
  else localStorage.setItem(key, theme)
  applyTheme()
  for (const watch of watchers) watch()
}

dark.addEventListener('change', applyTheme)

export function useTheme(): Theme {
  return useSyncExternalStore((watch) => {
    watchers.add(watch)
    return () => watchers.delete(watch)
  }, read)
}
