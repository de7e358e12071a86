// The colors of the business, in the light and, where it has left the ground as it is by default, in the dark.

import { useEffect } from 'react'
import type { Opening } from './client.ts'
import { isEmbedded } from './embedding.ts'

export function useColors(branding: Opening['branding'] | null): void {
  useEffect(() => {
    if (branding === null) return
    const { colors, dark } = branding
    const wantsDark = matchMedia('(prefers-color-scheme: dark)')
    const show = (): void => {
      // In a frame, the page always uses the configured colors, as the embedding site expects.
      const { primary, onPrimary, background, text, scheme } =
        wantsDark.matches && dark !== null && !isEmbedded() ? dark : colors
      const { style, dataset } = document.documentElement
      style.setProperty('--primary', primary)
      style.setProperty('--on-primary', onPrimary)
      style.setProperty('--background', background)
      style.setProperty('--text', text)
      style.setProperty('color-scheme', scheme)
      dataset['scheme'] = scheme
    }
    show()
    wantsDark.addEventListener('change', show)
    return () => wantsDark.removeEventListener('change', show)
  }, [branding])
}
