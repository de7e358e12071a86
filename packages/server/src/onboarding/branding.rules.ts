// What a branding may be: colors that can be read, a small picture, addresses.

import { formatHex, oklch, wcagContrast } from 'culori'
import { isWellFormedHost, type UrlOptions } from '../platform/values/business-url.ts'
import type { Colors } from './schema.rules.ts'

/** Of text on its background, by WCAG 2.2, 1.4.3 (AA). */
const contrastMin = 4.5

/** More than is needed: links are also on a ground that is a little lighter. */
const darkContrastMin = 6

export const logoBytesMax = 64 * 1024

export const defaultColors: Colors = { primary: '#0f766e', background: '#ffffff', text: '#18181b' }

export type Violation = { param: string; code: 'invalid_value' | 'invalid_format' | 'invalid_length'; message: string }

/** Judges whether text and buttons can be read. */
export function contrastViolations({ primary, background, text }: Colors): Violation[] {
  return (
    [
      ['text', text],
      ['primary', primary],
    ] as const
  ).flatMap(([name, color]) => {
    const contrast = wcagContrast(color, background)
    if (contrast >= contrastMin) return []
    // Cut, not rounded: 4.49 is not 4.5.
    const told = Math.floor(contrast * 10) / 10
    const param = `colors.${name}`
    const message = `${param} has a contrast of ${told} : 1 with colors.background; at least ${contrastMin} : 1 can be read.`
    return [{ param, code: 'invalid_value', message }]
  })
}

/** Black or white, whichever can be read better on a button. */
export const buttonTextOn = (primary: string): string =>
  wcagContrast(primary, '#000000') > wcagContrast(primary, '#ffffff') ? '#000000' : '#ffffff'

/** Which of a browser's own parts, such as the arrow of a list, can be seen on a background. */
export const schemeOf = (background: string): 'light' | 'dark' =>
  buttonTextOn(background) === '#ffffff' ? 'dark' : 'light'

/** The colors with what follows from them. */
export const shownColorsOf = (colors: Colors) => ({
  ...colors,
  onPrimary: buttonTextOn(colors.primary),
  scheme: schemeOf(colors.background),
})

const darkGround = { background: '#1a2023', text: '#eef1f2' }

/** Lightens the color of buttons and links for a dark ground. @returns null where the business has chosen the ground itself */
export function darkColorsOf({ primary, background, text }: Colors): Colors | null {
  if (background !== defaultColors.background || text !== defaultColors.text) return null
  const color = oklch(primary)
  if (color === undefined) return null
  const steps = Array.from({ length: 100 }, (_, step) => formatHex({ ...color, l: Math.max(color.l, step / 100) }))
  const readable = steps.find((step) => wcagContrast(step, darkGround.background) >= darkContrastMin)
  return { ...darkGround, primary: readable ?? darkGround.text }
}

/** How the first bytes of each kind read in base64. */
const beginnings = { 'image/png': 'iVBORw0KGgo', 'image/jpeg': '/9j/', 'image/webp': 'UklGR' } as const

/** Judges a logo. An SVG is refused: it may hold scripts. */
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

/** Reads the origin of a site: a scheme, a host and perhaps a port. @returns null where the text is none */
export function originOf(text: string, { allowLoopbackHttp }: UrlOptions): string | null {
  const url = URL.parse(text)
  // A policy of frames would read `https://*` as every site.
  if (url === null || !isWellFormedHost(url.hostname)) return null
  if (text.replace(/\/$/, '').toLowerCase() !== url.origin) return null
  const isLoopback = /^(localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname)
  return url.protocol === 'https:' || (allowLoopbackHttp && isLoopback) ? url.origin : null
}
