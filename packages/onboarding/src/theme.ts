// The colors of the business.

import { useEffect } from 'react'
import type { PageState } from './client.ts'

export function useColors(colors: PageState['branding']['colors'] | null): void {
  useEffect(() => {
    if (colors === null) return
    const { style } = document.documentElement
    style.setProperty('--primary', colors.primary)
    style.setProperty('--background', colors.background)
    style.setProperty('--text', colors.text)
    style.setProperty('--on-primary', readableOn(colors.primary))
    style.setProperty('color-scheme', luminanceOf(colors.background) < 0.18 ? 'dark' : 'light')
  }, [colors])
}

/** Black or white, whichever has the greater contrast. */
const readableOn = (color: string): string => (luminanceOf(color) > 0.179 ? '#000000' : '#ffffff')

/** Relative luminance by WCAG 2.2, of a color written #rrggbb. */
function luminanceOf(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
