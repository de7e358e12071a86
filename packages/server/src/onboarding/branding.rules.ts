// Rules for a branding: readable colors, a small image, valid URLs.

import { formatHex, oklch, wcagContrast } from 'culori'
import { isWellFormedHost, type UrlOptions } from '../platform/values/business-url.ts'
import type { Colors } from './schema.rules.ts'

/** Contrast of text on its background, by WCAG 2.2, 1.4.3 (AA). */
const contrastMin = 4.5

/** More than required: links also appear on a slightly lighter background. */
const darkContrastMin = 6

export const logoBytesMax = 64 * 1024

export const defaultColors: Colors = { primary: '#0f766e', background: '#ffffff', text: '#18181b' }

export type Violation = { param: string; code: 'invalid_value' | 'invalid_format' | 'invalid_length'; message: string }

/** Checks whether text and buttons are readable. */
export function contrastViolations({ primary, background, text }: Colors): Violation[] {
  return (
    [
      ['text', text],
      ['primary', primary],
    ] as const
  ).flatMap(([name, color]) => {
    const contrast = wcagContrast(color, background)
    if (contrast >= contrastMin) return []
    // Truncated, not rounded: 4.49 is not 4.5.
    const shown = Math.floor(contrast * 10) / 10
    const param = `colors.${name}`
    const message = `${param} has a contrast of ${shown}:1 with colors.background; it must be at least ${contrastMin}:1.`
    return [{ param, code: 'invalid_value', message }]
  })
}

/** Black or white, whichever is more readable on a button. */
export const buttonTextOn = (primary: string): string =>
  wcagContrast(primary, '#000000') > wcagContrast(primary, '#ffffff') ? '#000000' : '#ffffff'

/** The browser's color scheme whose own parts, such as the arrow of a list, are visible on a background. */
export const schemeOf = (background: string): 'light' | 'dark' =>
  buttonTextOn(background) === '#ffffff' ? 'dark' : 'light'

/** The colors with the derived ones. */
export const shownColorsOf = (colors: Colors) => ({
  ...colors,
  onPrimary: buttonTextOn(colors.primary),
  scheme: schemeOf(colors.background),
})

const darkGround = { background: '#1a2023', text: '#eef1f2' }

/**
 * Lightens the color of buttons and links for a dark background. @returns null if the business has chosen the
 * background itself
 */
export function darkColorsOf({ primary, background, text }: Colors): Colors | null {
  if (background !== defaultColors.background || text !== defaultColors.text) return null
  const color = oklch(primary)
  if (color === undefined) return null
  const steps = Array.from({ length: 100 }, (_, step) => formatHex({ ...color, l: Math.max(color.l, step / 100) }))
  const readable = steps.find((step) => wcagContrast(step, darkGround.background) >= darkContrastMin)
  return { ...darkGround, primary: readable ?? darkGround.text }
}

/** The first bytes of each kind in base64. */
const beginnings = { 'image/png': 'iVBORw0KGgo', 'image/jpeg': '/9j/', 'image/webp': 'UklGR' } as const

/** Checks a logo. An SVG is rejected: it may contain scripts. */
export function logoViolation(logo: string): Violation | null {
  const refused = (code: Violation['code'], rule: string): Violation => ({
    param: 'logo',
    code,
    message: `logo ${rule}.`,
  })
  const [, type = '', data = ''] = /^data:([a-z/]{1,32});base64,([A-Za-z0-9+/]+={0,2})$/.exec(logo) ?? []
  const beginning = beginnings[type as keyof typeof beginnings]
  if (beginning === undefined || !data.startsWith(beginning))
    return refused('invalid_format', 'must be a data: URI in base64 of a PNG, JPEG or WebP image')
  if (Buffer.byteLength(data, 'base64') > logoBytesMax)
    return refused('invalid_length', `must have at most ${logoBytesMax} bytes`)
  return null
}

/** Reads the origin of a site: a scheme, a host and perhaps a port. @returns null if the text is not an origin */
export function originOf(text: string, { allowLoopbackHttp }: UrlOptions): string | null {
  const url = URL.parse(text)
  // A frame policy would read `https://*` as every site.
  if (url === null || !isWellFormedHost(url.hostname)) return null
  if (text.replace(/\/$/, '').toLowerCase() !== url.origin) return null
  const isLoopback = /^(localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname)
  return url.protocol === 'https:' || (allowLoopbackHttp && isLoopback) ? url.origin : null
}
