// Whether a text can be read on its ground, by WCAG 2.2, 1.4.3 (AA). The server judges by the same number.

import { modeLrgb, modeRgb, useMode as register, wcagContrast } from 'culori/fn'

register(modeRgb)
register(modeLrgb)

export const contrastMin = 4.5

export const isColor = (text: string): boolean => /^#[0-9a-f]{6}$/i.test(text)

/** @returns 1 to 21, of two colors written #rrggbb */
export const contrastOf = (one: string, other: string): number => wcagContrast(one, other)

/** Cut, not rounded: 4.49 is not 4.5. Its spaces do not break. */
export const contrastWords = (contrast: number): string =>
  `${(Math.floor(contrast * 10) / 10).toFixed(1)}\u00a0:\u00a01`

/** Black or white, whichever can be read better: the text on buttons. */
export const readableOn = (color: string): string =>
  contrastOf(color, '#000000') > contrastOf(color, '#ffffff') ? '#000000' : '#ffffff'
