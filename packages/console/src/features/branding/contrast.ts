// Whether a text can be read on its ground, by WCAG 2.2, 1.4.3 (AA). The server judges by the same number.

export const contrastMin = 4.5

export const isColor = (text: string): boolean => /^#[0-9a-f]{6}$/i.test(text)

/** @returns 1 to 21, of two colors written #rrggbb */
export function contrastOf(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

/** Cut, not rounded: 4.49 is not 4.5. Its spaces do not break. */
export const contrastWords = (contrast: number): string =>
  `${(Math.floor(contrast * 10) / 10).toFixed(1)}\u00a0:\u00a01`

/** Black or white, whichever can be read better: the text on buttons. */
export const readableOn = (color: string): string =>
  contrastOf(color, '#000000') > contrastOf(color, '#ffffff') ? '#000000' : '#ffffff'

function luminanceOf(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
