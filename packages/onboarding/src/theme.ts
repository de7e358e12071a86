// The colors of the business.

import { useEffect } from 'react'
import type { Opening } from './client.ts'

export function useColors(colors: Opening['branding']['colors'] | null): void {
  useEffect(() => {
    if (colors === null) return
    const { style } = document.documentElement
    style.setProperty('--primary', colors.primary)
    style.setProperty('--on-primary', colors.onPrimary)
    style.setProperty('--background', colors.background)
    style.setProperty('--text', colors.text)
    style.setProperty('color-scheme', colors.scheme)
  }, [colors])
}
